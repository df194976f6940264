import { request, type IncomingMessage } from 'node:http';
import { eventSummary, exportedEvent } from '../../../src/contract/event';
import { pageOf } from '../../../src/contract/page';
import { sqliteDriver } from '../../../src/relay/database/sqlite-driver';
import { outsideGlobal } from '../../support/outside';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const BULK = 450;
const LONG_MS = 60_000;
/** Larger than what any buffer on the way holds. */
const LARGE = 'x'.repeat(200_000);
const MANY_LARGE = 120;

let board: Switchboard;
let place: RecordingTarget;
let targetId: string;
let times: string[];

beforeAll(async () => {
  [board, place] = await Promise.all([Switchboard.start(), RecordingTarget.start()]);
  ({ id: targetId } = await board.addTarget('place', place.url, ['deal.created']));
  for (let i = 0; i < BULK; i += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, k) =>
        board.emit((i + k) % 90 === 0 ? 'deal.created' : 'task.created', {
          id: (i + k) % 9,
          name: `Number ${i + k}`,
        }),
      ),
    );
  await until('the deliveries', async () => (await listed('status=succeeded')).length === 5);
  // What Switchboard tells of its connection and its subscription may come late, and would come between two answers.
  await until('both are told', async () => (await listed('type=relay.*')).length === 2);
  times = (await exported('')).map(({ received_at: at }) => at).sort();
}, LONG_MS);

afterAll(async () => {
  await board.end();
  await place.close();
});

const linesOf = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => exportedEvent.parse(JSON.parse(line)));

async function exported(query: string) {
  const answer = await board.ask(`/events/export?${query}`);
  expect(answer.status).toBe(200);
  expect(answer.text === '' || answer.text.endsWith('\n')).toBe(true);
  const lines = linesOf(answer.text);
  expect(answer.headers).toMatchObject({
    'content-type': 'application/x-ndjson',
    'switchboard-export-total': String(lines.length),
    'switchboard-export-estimated': 'false',
  });
  return lines;
}

async function listed(query: string): Promise<number[]> {
  const seqs: number[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { data: { seq: number }[]; next_cursor: string | null } = await board.read(
      pageOf(eventSummary),
      `/events?${query}&limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`,
    );
    seqs.push(...page.data.map(({ seq }) => seq));
    cursor = page.next_cursor;
  }
  return seqs.toReversed();
}

/** An export that is read by hand. */
function openExport(query: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const path = `/api/v1/events/export?${query}`;
    request({
      host: '127.0.0.1',
      port: board.port,
      path,
      headers: Object.fromEntries(board.bearer),
      agent: false,
    })
      .on('response', resolve)
      .on('error', reject)
      .end();
  });
}

describe('the export', () => {
  it.each([
    ['everything', () => ''],
    ['a type', () => 'type=deal.created'],
    ['types and patterns', () => 'type=deal.*&type=task.created'],
    ['an entity', () => 'entity=task:3'],
    ['a status', () => 'status=succeeded'],
    ['a target', () => `target=${targetId}`],
    ['a time', () => `since=${times[100]!}&until=${times[300]!}`],
    ['a text', () => 'q=number%201'],
    ['a short text', () => 'q=7'],
    ['a text and a type', () => 'q=number%2090&type=deal.created'],
    ['what is not there', () => 'q=nowhere%20at%20all'],
  ])('holds what the list holds, oldest first: %s', async (_, query) => {
    const seqs = (await exported(query())).map(({ seq }) => seq);
    expect(seqs).toEqual(await listed(query()));
    expect(seqs.length > 0).toBe(!query().includes('nowhere'));
  });

  it('gives each event as the list does, with its JSON letter for letter', async () => {
    const body = Buffer.from(
      `{\r\n "event": "odd.one",\n "timestamp": "2026-03-02T09:30:00Z", "webhook_id": "wh_1",\n "data": {"id": 7, "sum": 12345678901234567890.10, "said": "a\\nb \u2028 é"}\r\n}`,
    );
    await board.notify({ body, signature: board.upstream.sign(board.webhook, body) });
    const { text } = await board.ask('/events/export?type=odd.one');
    expect(text.split('\n')).toHaveLength(2);
    expect(text).toContain(`"body":${body.toString().replace(/[\r\n]/g, ' ')},"body_base64":null}`);
    const { body: parsed, body_base64: _, ...summary } = linesOf(text)[0]!;
    expect(parsed).toEqual(JSON.parse(body.toString()));
    expect([summary]).toEqual((await board.read(pageOf(eventSummary), '/events?type=odd.one')).data);
  });

  it('gives what could not be read as its bytes', async () => {
    const body = Buffer.from([0x7b, 0xff, 0x0a, 0x22, 0x7d]);
    await board.notify({ body, signature: board.upstream.sign(board.webhook, body) });
    const [line] = await exported('type=unreadable');
    expect(line).toMatchObject({ body: null, body_base64: body.toString('base64') });
  });

  it('only tells how many there are where it is asked for its headers', async () => {
    const answer = await board.ask('/events/export?type=deal.created', { method: 'HEAD' });
    expect(answer).toMatchObject({ status: 200, headers: { 'switchboard-export-total': '5' } });
    expect(answer.body).toHaveLength(0);
  });

  it('says what is wrong with a filter, and takes no page', async () => {
    expect(await board.ask('/events/export?status=lost')).toMatchObject({
      status: 400,
      json: { code: 'invalid_request' },
    });
    expect(await board.ask('/events/export?type=deal.created&limit=1')).toMatchObject({
      status: 400,
      json: { errors: [{ path: 'limit' }] },
    });
  });
});

const totalOfHalf = async () => {
  const { headers } = await board.ask('/events/export?type=half.even', { method: 'HEAD' });
  return [headers['switchboard-export-estimated'], Number(headers['switchboard-export-total'])] as const;
};

describe('an export of more than can be counted in the time that one waits', () => {
  const MANY = 30_000;

  beforeAll(async () => {
    await board.stop();
    const connection = new sqliteDriver(`${board.dataDir}/switchboard.db`);
    connection.exec(`INSERT INTO events(seq, received_at, type, headers, signature_header, signature_value, body)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MANY})
      SELECT (SELECT max(seq) FROM events) + i, 0, iif(i % 2, 'half.odd', 'half.even'), '[]', 'x-signature', '', CAST('{}' AS BLOB) FROM n`);
    connection.close();
    board = await Switchboard.start({ after: board });
  }, LONG_MS);

  afterEach(() => jest.restoreAllMocks());

  it('tells about how many there are, and says that it is an estimate', async () => {
    expect(await totalOfHalf()).toEqual(['false', MANY / 2]);
    let now = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => (now += 600));
    const [estimated, events] = await totalOfHalf();
    expect(estimated).toBe('true');
    expect(events).toBeGreaterThan(MANY / 2 - MANY / 10);
    expect(events).toBeLessThan(MANY / 2 + MANY / 10);
  });
});

/** Counts the large lines that the daemon makes from now on. */
function countLines(): { besideAnother: () => Promise<number> } {
  const made = jest.spyOn(outsideGlobal.JSON, 'stringify');
  /** How many there are, without those of another export that was begun and read to its end meanwhile. */
  const besideAnother = async () => {
    const { length } = await exported('type=large.event');
    const lines = made.mock.calls.filter(([one]) => (one as { type?: string })?.type === 'large.event');
    made.mockRestore();
    return lines.length - length;
  };
  return { besideAnother };
}

describe('an export that is read slowly', () => {
  beforeAll(async () => {
    for (let i = 0; i < MANY_LARGE; i += 10)
      await Promise.all(Array.from({ length: 10 }, () => board.emit('large.event', { text: LARGE })));
  }, LONG_MS);

  it(
    'holds little in memory, goes on when it is read, and ends with what was there when it began',
    async () => {
      const lines = countLines();
      const answer = await openExport('type=large.event');
      answer.pause();
      await board.emit('large.event', { text: LARGE });
      // It reads ahead as far as its buffers hold; then it stands, while one that is read goes by.
      const ahead = await lines.besideAnother();
      expect(ahead).toBeGreaterThan(0);
      expect(ahead).toBeLessThan(MANY_LARGE / 2);
      let text = '';
      for await (const part of answer) text += String(part);
      expect(linesOf(text)).toHaveLength(MANY_LARGE);
    },
    LONG_MS,
  );

  it('stops when it is not wanted any more', async () => {
    const lines = countLines();
    const answer = await openExport('type=large.event');
    answer.once('data', () => answer.destroy());
    await new Promise((resolve) => answer.once('close', resolve));
    const before = await lines.besideAnother();
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(MANY_LARGE / 2);
    expect((await board.ask('/events?limit=1')).status).toBe(200);
  });

  it(
    'does not hold up a stop of the daemon',
    async () => {
      const answer = await openExport('type=large.event');
      answer.pause();
      const broken = new Promise((resolve) => answer.once('error', resolve));
      const began = performance.now();
      await board.stop();
      expect(performance.now() - began).toBeLessThan(4_000);
      answer.resume();
      expect(await broken).toMatchObject({ message: 'aborted' });
      board = await Switchboard.start({ after: board });
    },
    LONG_MS,
  );
});
