import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HubCommands } from '../../support/daemon/hub-commands';
import { Switchboard } from '../../support/daemon/switchboard';

/** JavaScript would round it. */
const PRICE = '9007199254740993';

let hub: Switchboard;
let commands: HubCommands;
let seqs: string[];

beforeAll(async () => {
  hub = await Switchboard.start();
  commands = new HubCommands(hub);
  const send = async (type: string, data: string) => {
    const { webhook_id: id } = hub.webhook;
    const body = Buffer.from(
      `{"event":"${type}","timestamp":"2026-03-01T00:00:00Z","webhook_id":"${id}","data":${data}}`,
    );
    const { json } = await hub.notify({ body, signature: hub.upstream.sign(hub.webhook, body) });
    return String((await hub.event((json as { id: string }).id)).seq);
  };
  seqs = [
    await send('deal.created', `{"id":42,"name":"Solar\\u001b]0;x","status_id":1,"price":${PRICE}}`),
    await send('deal.updated', `{"id":42,"name":"Solar\\u001b]0;x","status_id":2,"price":${PRICE}}`),
    await send('contact.created', '{"id":7,"name":"Ada"}'),
    await send('deal.deleted', '{"id":9,"name":"Wind"}'),
  ];
});

afterAll(() => hub.end());

const entities = (...words: string[]) => commands.run(['entities', ...words], 'read');

it('lists what is known, now or earlier, with fields and filters, or counts it', async () => {
  const deals = ['list', '--kind', 'deal', '--field', 'data.price'];
  const { code, out } = await entities(...deals, '--field', 'data.status_id');
  expect(code).toBe(0);
  expect(out).toMatch(/^entity +name +state +received +seq +data\.price +data\.status_id$/m);
  expect(out).toMatch(new RegExp(`^deal:42 +Solar\ufffd]0;x +present +\\S+Z +${seqs[1]} +${PRICE} +2$`, 'm'));
  expect(out).not.toContain('deal:9');
  const earlier = await entities(...deals, '--as-of', seqs[0]!, '--json');
  expect(earlier.out).toMatch(new RegExp(`"status_id":1,"price":${PRICE}}.*\n$`));
  expect((await entities('list', '--state', 'all', '--limit', '2', '--json')).out.split('\n')).toHaveLength(
    3,
  );
  expect((await entities('list', '--state', 'all', '--count')).out).toBe('3\n');
  expect((await entities('list', '--payload', '{"data.status_id":2}', '--count')).out).toBe('1\n');
  expect((await entities('list', '--as-of', '7d')).err).toMatch(/no entity that matches/);
  expect((await entities('list', '--as-of', 'soon')).code).toBe(2);
});

it('shows the state of one with its record, and says which there is not', async () => {
  const { out } = await entities('get', 'deal:42', '--as-of', seqs[0]!);
  expect(out).toMatch(/^state +present$/m);
  expect(out).toMatch(new RegExp(`^data\\.price +${PRICE}$`, 'm'));
  expect(out).toMatch(/^data\.status_id +1$/m);
  expect((await entities('get', 'deal:42', '--json')).out).toContain(`"status_id":2,"price":${PRICE}`);
  const unknown = await entities('get', 'deal:1', '--json');
  expect({ code: unknown.code, problem: (JSON.parse(unknown.err) as { code: string }).code }).toEqual({
    code: 1,
    problem: 'entity_unknown',
  });
});

it('compares two times, of all entities or of one', async () => {
  const since = ['changes', '--from', seqs[0]!];
  const { out } = await entities(...since);
  expect(out).toMatch(/^deal:42 +\S+ +changed +data\.status_id: 1 → 2$/m);
  expect(out).toMatch(/^contact:7 +Ada +created /m);
  const until = await entities(...since, '--to', seqs[1]!, '--json');
  expect(JSON.parse(until.out)).toMatchObject({ entity: 'deal:42', change: 'changed' });
  expect((await entities(...since, 'deal:42')).out).toMatch(/^data\.status_id +1 +2$/m);
  expect((await entities(...since, 'deal:42', '--json')).out).toContain(`"price":${PRICE}`);
  expect((await entities('changes', 'deal:42', '--from', seqs[1]!)).err).toBe(
    'Nothing of deal:42 differs.\n',
  );
  expect((await entities(...since, 'deal:42', '--kind', 'deal')).code).toBe(2);
});

it('exports each into a file, by name', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-entities-'));
  const file = join(folder, 'entities.csv');
  const all = ['export', '--state', 'all', '--format', 'csv', '--field', 'data.price', '-o', file];
  expect(await entities(...all)).toMatchObject({ code: 0, out: '' });
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => /\b\w+:\d+/.exec(line)?.[0])).toEqual([
    undefined,
    'contact:7',
    'deal:42',
    'deal:9',
  ]);
  expect(lines[2]).toContain(PRICE);
  expect((await entities(...all)).err).toMatch(/exists: .* --yes/);
  rmSync(folder, { recursive: true });
});
