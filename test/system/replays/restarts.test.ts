import type { ServerResponse } from 'node:http';
import type { ReplayDetail } from '../../../src/contract/replay';
import { Daemon } from '../../support/daemon/daemon';
import { assertBalanced } from '../../support/daemon/ledger';
import { RecordingTarget, type Hit } from '../../support/fakes/recording-target';
import { until } from '../../support/until';
import { FakeCopilot } from '../../support/fakes/copilot';

const STORED = 3_000;

/** The stored events are about this many deals, in rotation. */
const DEALS = 50;

let upstream: FakeCopilot;
let receiver: RecordingTarget;
let daemon: Daemon;
let targetId = '';

/** Written directly into the database, since sending so many notifications would take long. */
const HISTORY = `
  INSERT INTO events(seq, received_at, type, entity, content_type, headers, signature_header, signature_value, body)
  WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < ${STORED})
  SELECT n, 1700000000000 + n * 1000, CASE WHEN n % 4 = 0 THEN 'deal.updated' ELSE 'contact.updated' END,
    'deal:' || (n % ${DEALS}), 'application/json', '[]', 'x-signature', 's', CAST('{"n":' || n || '}' AS BLOB) FROM i`;

beforeAll(async () => {
  upstream = await FakeCopilot.start();
  receiver = await RecordingTarget.start();
  daemon = await Daemon.start({ upstream });
  const { body } = await daemon.request('POST', '/targets', {
    name: 'place',
    url: receiver.url,
    events: ['nothing'],
    policy: {
      ordering: 'entity',
      concurrency: 32,
      retry: { attempts: 50, first_s: 0.1, factor: 1, cap_s: 1 },
      breaker: null,
    },
  });
  targetId = (body as { id: string }).id;
  await daemon.stop();
  daemon.alterDatabase(HISTORY);
  await daemon.restart();
});
afterAll(async () => {
  await daemon.close();
  await receiver.close();
  await upstream.close();
});

const numberOf = ({ body }: Hit) => (JSON.parse(body.toString()) as { n: number }).n;
const ofReplay = (id: string, at = receiver) =>
  at.hits.filter(({ headers }) => headers['switchboard-replay'] === id);
const get = (id: string) => daemon.get<ReplayDetail>(`/replays/${id}`);

async function start(filter: object, target_ids = [targetId]): Promise<ReplayDetail> {
  const { status, body } = await daemon.request('POST', '/replays', { filter, target_ids });
  expect({ status, body }).toMatchObject({ status: 202 });
  return body as ReplayDetail;
}

it('stopped and killed, a replay skips and repeats nothing, in the order of each deal', async () => {
  let answered = 0;
  // The others wait: the replay must not end before the daemon does, however slow this test is.
  let allowed = 250;
  const held: ServerResponse[] = [];
  const answer = (response: ServerResponse) => {
    answered += 1;
    response.writeHead(answered % 7 === 0 ? 500 : 200).end();
  };
  const answerAll = () => {
    allowed = Infinity;
    for (const response of held.splice(0)) answer(response);
  };
  receiver.respondWith((response) => {
    allowed -= 1;
    if (allowed < 0) held.push(response);
    else answer(response);
  });
  const until_seq = 1_000;
  const { id, total } = await start({ until_seq });
  expect(total).toBe(until_seq);
  let mostOpen = 0;
  for (const end of ['kill', 'stop'] as const) {
    const before = receiver.hits.length;
    await until('some more arrive', () => receiver.hits.length > before + 200);
    mostOpen = Math.max(
      mostOpen,
      ...daemon
        .rows<{ open: number }>('SELECT count(*) AS open FROM deliveries WHERE finished_at IS NULL')
        .map(({ open }) => open),
    );
    answerAll();
    await daemon[end]();
    const [row] = daemon.rows<{ position: number; made: number; newest: number }>(
      `SELECT position, (SELECT count(*) FROM deliveries) AS made, (SELECT max(event_seq) FROM deliveries) AS newest
       FROM replays WHERE id = ?`,
      id,
    );
    expect(row).toEqual({ position: row!.newest, made: row!.newest, newest: row!.newest });
    expect(row!.position).toBeLessThan(until_seq);
    allowed = 250;
    await daemon.restart();
  }
  answerAll();
  await until('it ends', async () => (await get(id)).ended_at !== null);
  expect(mostOpen).toBeGreaterThan(0);
  expect(mostOpen).toBeLessThanOrEqual(500);

  const hits = ofReplay(id);
  expect(new Set(hits.map(numberOf)).size).toBe(until_seq);
  // One delivery for each: repetitions after a failure or a kill belong to the same delivery.
  expect(new Set(hits.map(({ headers }) => headers['switchboard-delivery'])).size).toBe(until_seq);
  const last = new Map<number, number>();
  const overtaken = hits.map(numberOf).filter((n) => {
    const deal = n % DEALS;
    const before = last.get(deal);
    last.set(deal, Math.max(before ?? 0, n));
    // Either the next of its deal, or the previous one again: it failed, or its success was not stored yet.
    return before === undefined ? n > DEALS : n !== before && n !== before + DEALS;
  });
  expect(overtaken).toEqual([]);
  expect(await get(id)).toMatchObject({
    state: 'done',
    events: until_seq,
    report: [{ target_id: targetId, deliveries: until_seq, succeeded: until_seq, open: 0, dead: 0 }],
  });
  await assertBalanced(daemon);
});

it('has a bounded number of queued deliveries at any time, while four times as many are sent', async () => {
  receiver.respondWith((response) => setTimeout(() => response.writeHead(200).end(), 5));
  const until_seq = 2_000;
  const { id } = await start({ until_seq });
  const open: number[] = [];
  await until('it ends', async () => {
    const [row] = daemon.rows<{ open: number }>(
      'SELECT count(*) AS open FROM deliveries WHERE replay_id = ? AND finished_at IS NULL',
      id,
    );
    open.push(row!.open);
    return (await get(id)).ended_at !== null;
  });
  expect(new Set(ofReplay(id).map(numberOf)).size).toBe(until_seq);
  expect(open.filter((rows) => rows > 0).length).toBeGreaterThan(5);
  expect(Math.max(...open)).toBeLessThanOrEqual(500);
});

it('has a bounded number of rows, however much there is to replay and however long the target is down', async () => {
  await daemon.request('POST', `/targets/${targetId}/pause`);
  const { id } = await start({ types: ['*'] });
  await until('the first deliveries are created', async () => (await get(id)).deliveries > 0);
  const deliveries = () =>
    daemon.rows<{ open: number }>('SELECT count(*) AS open FROM deliveries WHERE finished_at IS NULL')[0]!
      .open;
  await until('the batch is complete', () => deliveries() > 400);
  const other = await start({ types: ['nothing'] });
  await until('another replay ends', async () => (await get(other.id)).ended_at !== null);
  expect(deliveries()).toBeLessThanOrEqual(500);
  await daemon.request('POST', `/replays/${id}/cancel`);
  await until('it ends', async () => (await get(id)).ended_at !== null);
  expect(await get(id)).toMatchObject({ state: 'cancelled', report: [{ sent: 0, open: 0 }] });
  expect(deliveries()).toBe(0);
  await daemon.request('POST', `/targets/${targetId}/resume`);
});

it('continues for one target while another is down, through kills, and then for that one too', async () => {
  const other = await RecordingTarget.start(503);
  const { id: otherId } = await daemon.addTarget('other', other.url, {
    events: ['nothing'],
    policy: {
      ordering: 'entity',
      retry: { attempts: 50, first_s: 0.1, factor: 1, cap_s: 1 },
      breaker: { failures: 5, first_probe_s: 1, cap_s: 1 },
    },
  });
  try {
    receiver.respondWith(200);
    const until_seq = 1_500;
    const { id } = await start({ until_seq }, [targetId, otherId]);
    const arrivedAt = (at: RecordingTarget) => new Set(ofReplay(id, at).map(numberOf)).size;
    const [half, all] = [900, until_seq];
    for (const count of [half, all]) {
      await until(`${count} arrive at the first target`, () => arrivedAt(receiver) >= count);
      await until('the replay waits for the other', async () => (await get(id)).waiting_for.length > 0);
      expect((await get(id)).waiting_for).toMatchObject([{ target_id: otherId, why: 'breaker_open' }]);
      await daemon.kill();
      await daemon.restart();
    }
    other.respondWith(200);
    await until('it ends', async () => (await get(id)).ended_at !== null);
    for (const at of [receiver, other]) {
      expect(arrivedAt(at)).toBe(until_seq);
      expect(new Set(ofReplay(id, at).map(({ headers }) => headers['switchboard-delivery'])).size).toBe(
        until_seq,
      );
    }
    expect(await get(id)).toMatchObject({
      state: 'done',
      events: until_seq,
      waiting_for: [],
      report: [targetId, otherId].map((target_id) => ({ target_id, succeeded: until_seq, open: 0 })),
    });
    await assertBalanced(daemon);
  } finally {
    await daemon.request('DELETE', `/targets/${otherId}`);
    await other.close();
  }
});
