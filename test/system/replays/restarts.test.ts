import type { ReplayDetail, ReplayPreview } from '../../../src/contract/replay';
import { Daemon } from '../../support/daemon/daemon';
import { assertBalanced } from '../../support/daemon/ledger';
import { RecordingTarget, type Hit } from '../../support/fakes/recording-target';
import { until } from '../../support/until';
import { FakeCopilot } from '../../support/fakes/copilot';

const STORED = 120_000;
const WITHIN_MS = 60_000;

/** Deals that the stored events are about, one after the other. */
const DEALS = 50;

let upstream: FakeCopilot;
let place: RecordingTarget;
let daemon: Daemon;
let targetId = '';

/** A history written straight into the file: a hundred thousand notifications would take their time. */
const HISTORY = `
  INSERT INTO events(seq, received_at, type, entity, content_type, headers, signature_header, signature_value, body)
  WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < ${STORED})
  SELECT n, 1700000000000 + n * 1000, CASE WHEN n % 4 = 0 THEN 'deal.updated' ELSE 'contact.updated' END,
    'deal:' || (n % ${DEALS}), 'application/json', '[]', 'x-signature', 's', CAST('{"n":' || n || '}' AS BLOB) FROM i`;

beforeAll(async () => {
  upstream = await FakeCopilot.start();
  place = await RecordingTarget.start();
  daemon = await Daemon.start({ upstream });
  const { body } = await daemon.request('POST', '/targets', {
    name: 'place',
    url: place.url,
    events: ['nothing'],
    policy: {
      ordering: 'entity',
      concurrency: 32,
      retry: { tries: 50, first_s: 0.1, factor: 1, cap_s: 1 },
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
  await place.close();
  await upstream.close();
});

const numberOf = ({ body }: Hit) => (JSON.parse(body.toString()) as { n: number }).n;
const ofReplay = (id: string, at = place) =>
  at.hits.filter(({ headers }) => headers['switchboard-replay'] === id);
const get = (id: string) => daemon.get<ReplayDetail>(`/replays/${id}`);

async function start(filter: object, target_ids = [targetId]): Promise<ReplayDetail> {
  const { status, body } = await daemon.request('POST', '/replays', { filter, target_ids });
  expect({ status, body }).toMatchObject({ status: 202 });
  return body as ReplayDetail;
}

it('what is too much to be counted is estimated, and says so', async () => {
  const { body } = await daemon.request('POST', '/replays/preview', {
    filter: { types: ['deal.*'] },
    target_ids: [targetId],
    rate: { per_second: 100 },
  });
  const counted = body as ReplayPreview;
  expect(counted).toMatchObject({ estimated: true, until_seq: STORED });
  expect(counted.events / (STORED / 4)).toBeCloseTo(1, 1);
  expect(counted.duration_s).toBeCloseTo(counted.events / 100);
  const { body: few } = await daemon.request('POST', '/replays/preview', {
    filter: { types: ['deal.*'], until_seq: 1_000 },
    target_ids: [targetId],
  });
  expect(few).toMatchObject({ estimated: false, events: 250, deliveries: 250 });
});

it('stopped and killed on the way, a replay skips nothing and repeats nothing, in the order of each deal', async () => {
  let requests = 0;
  place.answer((response) => {
    requests += 1;
    response.writeHead(requests % 7 === 0 ? 500 : 200).end();
  });
  const until_seq = 1_500;
  const { id, total } = await start({ until_seq });
  expect(total).toBe(until_seq);
  let mostOpen = 0;
  for (const end of ['kill', 'stop', 'kill'] as const) {
    const before = place.hits.length;
    await until('some more', () => place.hits.length > before + 200, WITHIN_MS);
    mostOpen = Math.max(
      mostOpen,
      ...daemon
        .rows<{ open: number }>('SELECT count(*) AS open FROM deliveries WHERE settled_at IS NULL')
        .map(({ open }) => open),
    );
    await daemon[end]();
    const [row] = daemon.rows<{ position: number; made: number; newest: number }>(
      `SELECT position, (SELECT count(*) FROM deliveries) AS made, (SELECT max(event_seq) FROM deliveries) AS newest
       FROM replays WHERE id = ?`,
      id,
    );
    expect(row).toEqual({ position: row!.newest, made: row!.newest, newest: row!.newest });
    expect(row!.position).toBeLessThan(until_seq);
    await daemon.restart();
  }
  await until('the end', async () => (await get(id)).ended_at !== null, WITHIN_MS);
  expect(mostOpen).toBeGreaterThan(0);
  expect(mostOpen).toBeLessThanOrEqual(500);

  const hits = ofReplay(id);
  expect(new Set(hits.map(numberOf)).size).toBe(until_seq);
  // One delivery for each: whatever came twice, after a failure or a kill, is the same delivery again.
  expect(new Set(hits.map(({ headers }) => headers['switchboard-delivery'])).size).toBe(until_seq);
  const last = new Map<number, number>();
  const overtaken = hits.map(numberOf).filter((n) => {
    const deal = n % DEALS;
    const before = last.get(deal);
    last.set(deal, Math.max(before ?? 0, n));
    // The next of its deal, or the one before once more: it failed, or its success was not on disk yet.
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

it('has no more than a bounded batch open at any moment, while some thousand go out', async () => {
  place.answer((response) => setTimeout(() => response.writeHead(200).end(), 5));
  const until_seq = 4_000;
  const { id } = await start({ until_seq });
  const open: number[] = [];
  await until(
    'the end',
    async () => {
      const [row] = daemon.rows<{ open: number }>(
        'SELECT count(*) AS open FROM deliveries WHERE replay_id = ? AND settled_at IS NULL',
        id,
      );
      open.push(row!.open);
      return (await get(id)).ended_at !== null;
    },
    WITHIN_MS,
  );
  expect(new Set(ofReplay(id).map(numberOf)).size).toBe(until_seq);
  expect(open.filter((rows) => rows > 0).length).toBeGreaterThan(5);
  expect(Math.max(...open)).toBeLessThanOrEqual(500);
});

it('holds a bounded batch as rows, however much there is to replay and however long the target is away', async () => {
  await daemon.request('POST', `/targets/${targetId}/pause`);
  const { id } = await start({});
  await until('a batch', async () => (await get(id)).deliveries > 0, WITHIN_MS);
  const deliveries = () =>
    daemon.rows<{ open: number }>('SELECT count(*) AS open FROM deliveries WHERE settled_at IS NULL')[0]!
      .open;
  await until('all of a batch', () => deliveries() > 400, WITHIN_MS);
  const other = await start({ types: ['nothing'] });
  await until('other work', async () => (await get(other.id)).ended_at !== null, WITHIN_MS);
  expect(deliveries()).toBeLessThanOrEqual(500);
  await daemon.request('POST', `/replays/${id}/cancel`);
  await until('the end', async () => (await get(id)).ended_at !== null, WITHIN_MS);
  expect(await get(id)).toMatchObject({ state: 'cancelled', report: [{ sent: 0, open: 0 }] });
  expect(deliveries()).toBe(0);
  await daemon.request('POST', `/targets/${targetId}/resume`);
});

it('goes on for one target while another is down, through kills, and then for that one too', async () => {
  const other = await RecordingTarget.start(503);
  const { id: otherId } = await daemon.addTarget('other', other.url, {
    events: ['nothing'],
    policy: {
      ordering: 'entity',
      retry: { tries: 50, first_s: 0.1, factor: 1, cap_s: 1 },
      breaker: { failures: 5, first_probe_s: 1, cap_s: 1 },
    },
  });
  try {
    place.answer(200);
    const until_seq = 1_500;
    const { id } = await start({ until_seq }, [targetId, otherId]);
    const came = (at: RecordingTarget) => new Set(ofReplay(id, at).map(numberOf)).size;
    const [half, all] = [900, until_seq];
    for (const count of [half, all]) {
      await until(`${count} at the one`, () => came(place) >= count, WITHIN_MS);
      await until('the wait for the other', async () => (await get(id)).waiting_for.length > 0);
      expect((await get(id)).waiting_for).toMatchObject([{ target_id: otherId, why: 'breaker_open' }]);
      await daemon.kill();
      await daemon.restart();
    }
    other.answer(200);
    await until('the end', async () => (await get(id)).ended_at !== null, WITHIN_MS);
    for (const at of [place, other]) {
      expect(came(at)).toBe(until_seq);
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
