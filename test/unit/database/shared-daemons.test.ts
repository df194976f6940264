import { setImmediate } from 'node:timers/promises';
import { SharedDaemons } from '../../../src/relay/several-daemons/shared-daemons';
import type { LeaderMessage } from '../../../src/relay/ground/daemons';

const notStored = (count: number): LeaderMessage => ({ kind: 'not_stored', reason: 'storage', count });
const gone = (reason: string): LeaderMessage => ({ kind: 'gone', target: 'tgt_1', updatedAt: 0, reason });

const aSecond = () => jest.advanceTimersByTimeAsync(1_000);

it('what other daemons announce reaches those whom it concerns', () => {
  const heard: unknown[] = [];
  const listen = (epoch: number | null) => {
    const daemons = new SharedDaemons({ epoch } as never);
    daemons.onStoredElsewhere((targets) => heard.push([epoch, targets]));
    daemons.onChanged('targets', () => heard.push([epoch, 'targets']));
    daemons.onTold((message) => heard.push([epoch, message]));
    return daemons;
  };
  const all = [listen(null), listen(1)];
  for (const daemons of all) {
    daemons.receive({ kind: 'events', targets: [7] });
    daemons.receive({ kind: 'changed', table: 'targets' });
    daemons.receive({ kind: 'changed', table: 'subscriptions' });
    daemons.receive({ kind: 'told', message: notStored(1) });
    void daemons.close();
  }
  expect(heard).toEqual([
    [null, [7]],
    [null, 'targets'],
    [1, [7]],
    [1, 'targets'],
    [1, notStored(1)],
  ]);
});

it('messages that were left for a leader are taken by the one that leads, when it is told or looks', async () => {
  const left = [notStored(1)];
  const records = { takeMessages: async () => left.splice(0) };
  const heard: unknown[] = [];
  const [receiver, leader] = [null, 1].map((epoch) => {
    const daemons = new SharedDaemons({ epoch, membership: { records } } as never);
    daemons.onTold((message) => heard.push([epoch, message]));
    return daemons;
  });
  receiver!.receive({ kind: 'messages' });
  await setImmediate();
  expect(heard).toEqual([]);
  leader!.receive({ kind: 'messages' });
  await setImmediate();
  expect(heard).toEqual([[1, notStored(1)]]);
  left.push(notStored(2));
  leader!.takeMessages();
  await leader!.close();
  expect(heard).toHaveLength(2);
  await receiver!.close();
});

describe('what a daemon tells the leader', () => {
  let sent: LeaderMessage[];
  let isServerAway: boolean;
  let onSend: () => void;
  let daemons: SharedDaemons;

  beforeEach(() => {
    jest.useFakeTimers();
    sent = [];
    isServerAway = false;
    onSend = () => undefined;
    const leaveMessage = async (message: LeaderMessage) => {
      onSend();
      if (isServerAway) throw new Error('away');
      sent.push(message);
    };
    const membership = { records: { leaveMessage } };
    daemons = new SharedDaemons({ membership, epoch: null } as unknown as ConstructorParameters<
      typeof SharedDaemons
    >[0]);
  });
  afterEach(async () => {
    await daemons.close();
    jest.useRealTimers();
  });

  it('arrives in full, also what is counted while the server is away', async () => {
    isServerAway = true;
    daemons.tellLeader(notStored(1));
    await aSecond();
    daemons.tellLeader(notStored(2));
    daemons.tellLeader(notStored(3));
    await aSecond();
    expect(sent).toEqual([]);
    isServerAway = false;
    await aSecond();
    await aSecond();
    expect(sent).toEqual([notStored(1), notStored(2), notStored(3)]);
  });

  it('is the newest about its subject', async () => {
    isServerAway = true;
    daemons.tellLeader(gone('first'), 'target');
    daemons.tellLeader(gone('second'), 'target');
    onSend = () => daemons.tellLeader(gone('third'), 'target');
    await aSecond();
    isServerAway = false;
    onSend = () => undefined;
    await aSecond();
    expect(sent).toEqual([gone('third')]);
  });

  it('is as it is when it is sent, if it is asked for then', async () => {
    let count = 1;
    daemons.tellLeader(() => notStored(count));
    count = 2;
    await aSecond();
    expect(sent).toEqual([notStored(2)]);
  });
});
