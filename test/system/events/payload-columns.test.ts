import { listedEvent } from '../../../src/contract/event';
import { pageOf } from '../../../src/contract/page';
import { Switchboard } from '../../support/daemon/switchboard';

let switchboard: Switchboard;

beforeAll(async () => {
  switchboard = await Switchboard.start();
});

afterAll(() => switchboard.end());

const fieldsOf = async (query: string) =>
  (await switchboard.read(pageOf(listedEvent), `/events?${query}`)).data.map(({ fields }) => fields);

describe('the values of payload fields', () => {
  it('are added to the list, the first one of each path, ready for a cell', async () => {
    const contacts = [{ name: 'Ada' }, { name: 'Bob' }];
    await switchboard.emit('field.set', {
      price: 12.5,
      open: false,
      none: null,
      long: 'x'.repeat(300),
      contacts,
    });
    const paths = ['price', 'open', 'none', 'long', 'contacts', 'contacts.name', 'missing'];
    const query = paths.map((path) => `field=data.${path}`).join('&');
    expect(await fieldsOf(`type=field.set&${query}`)).toEqual([
      {
        'data.price': 12.5,
        'data.open': false,
        'data.none': null,
        'data.long': `${'x'.repeat(200)}…`,
        'data.contacts': JSON.stringify(contacts),
        'data.contacts.name': 'Ada',
      },
    ]);
    const body = Buffer.from('no JSON');
    const signature = switchboard.upstream.sign(switchboard.webhook, body);
    expect((await switchboard.notify({ body, signature })).status).toBe(200);
    expect(await fieldsOf('type=unreadable&field=data')).toEqual([{}]);
    expect(await fieldsOf('type=field.set')).toEqual([undefined]);
  });

  it('cannot be read at an invalid path', async () => {
    expect(
      (await switchboard.ask(`/events?payload=${encodeURIComponent('{"__proto__":1,"a":2}')}`)).status,
    ).toBe(400);
    expect(await switchboard.ask('/events?field=data..id')).toMatchObject({
      status: 400,
      json: { code: 'invalid_request', errors: [{ path: 'field.0' }] },
    });
  });
});
