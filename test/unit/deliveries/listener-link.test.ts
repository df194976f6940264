import type { ListenDelivery } from '../../../src/contract/listen';
import { ListenerLink } from '../../../src/relay/deliveries/listeners/listener-link';

const MIB = 1024 * 1024;

describe('the connection of a listener', () => {
  const posted: string[] = [];
  let link: ListenerLink;

  beforeEach(() => {
    posted.length = 0;
    link = new ListenerLink(4, ({ delivery }) => posted.push(delivery));
  });

  const send = (delivery: string, mebibytes: number) =>
    link.send({ delivery, attempt: 1, body: new Uint8Array(mebibytes * MIB) } as ListenDelivery);

  const settle = (delivery: string) =>
    link.settle({ delivery, attempt: 1, status: 200, duration_ms: 1 }, () => undefined);

  it('is sent bodies up to 8 MiB at a time, and a larger one alone', async () => {
    const first = send('one', 5);
    void send('two', 9);
    void send('three', 1);
    expect(posted).toEqual(['one']);
    settle('one');
    expect(await first).toMatchObject({ result: { status: 200 } });
    expect(posted).toEqual(['one', 'two']);
    settle('two');
    expect(posted).toEqual(['one', 'two', 'three']);
  });

  it('is not sent an attempt that was given up while it waited, whose body takes no room later', async () => {
    void send('one', 5);
    const second = send('two', 5);
    link.forget({ delivery: 'two', attempt: 1 });
    expect(await second).toBeNull();
    void send('two', 5);
    settle('one');
    expect(posted).toEqual(['one', 'two']);
    settle('two');
    void send('three', 8);
    expect(posted).toEqual(['one', 'two', 'three']);
  });

  it('leaves the outcome of open attempts unknown when it is lost', async () => {
    const open = [send('one', 5), send('two', 5)];
    link.close();
    expect(await Promise.all([...open, send('three', 1)])).toEqual([null, null, null]);
    expect(posted).toEqual(['one']);
  });
});
