import { eventCount, eventHistogram, listedEvent } from '../../../src/contract/event';
import { pageOf } from '../../../src/contract/page';
import { replayPreview } from '../../../src/contract/replay';
import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';
import { Switchboard } from '../../support/daemon/switchboard';
import { useReceivers } from '../../support/fakes/receivers';

const MANY = 30_000;

let switchboard: Switchboard;
const startReceiver = useReceivers();

beforeAll(async () => {
  switchboard = await Switchboard.start();
  const { id } = await switchboard.addTarget('place', (await startReceiver()).url, ['deal.created']);
  for (let i = 0; i < 10; i += 1) await switchboard.emit('task.created');
  const delivered = await switchboard.emit('deal.created');
  await switchboard.deliveryOnce(delivered, id, ({ state }) => state === 'succeeded');
});

afterAll(() => switchboard.end());

const histogram = (query: string) => switchboard.read(eventHistogram, `/events/histogram?${query}`);

describe('the histogram', () => {
  it('has equal buckets at round times, no more than wanted, from the first event to now', async () => {
    const { data } = await switchboard.read(pageOf(listedEvent), '/events?limit=200');
    const times = data.map(({ received_at: at }) => at).toSorted();
    const { buckets, bucket_s: width } = await histogram('buckets=10');
    const starts = buckets.map(({ at }) => Date.parse(at));
    expect(starts.length).toBeLessThanOrEqual(10);
    expect(starts).toEqual(starts.map((_, i) => starts[0]! + i * width * 1_000));
    expect(starts[0]! % (width * 1_000)).toBe(0);
    expect(starts[0]!).toBeLessThanOrEqual(Date.parse(times[0]!));
    expect(starts.at(-1)! + width * 1_000).toBeGreaterThan(Date.parse(times.at(-1)!));
  });

  it('counts each event at its time and under its status', async () => {
    const [since, until_] = ['2026-01-01T00:00:00Z', '2026-01-03T00:00:00Z'];
    const { buckets, bucket_s: width } = await histogram(`since=${since}&until=${until_}&buckets=48`);
    expect([width, buckets.length, buckets[0]!.at]).toEqual([3_600, 48, '2026-01-01T00:00:00.000Z']);
    const [first] = (await histogram('type=deal.created')).buckets.filter(
      ({ counts }) => Object.keys(counts).length > 0,
    );
    expect(first!.counts).toEqual({ succeeded: expect.any(Number) });
  });
});

const totalOfHalf = async () => {
  const { headers } = await switchboard.ask('/events/export?type=half.even', { method: 'HEAD' });
  return [headers['switchboard-export-estimated'], Number(headers['switchboard-export-total'])] as const;
};

describe('an export of more events than can be counted in time', () => {
  beforeAll(async () => {
    await switchboard.stop();
    const connection = new sqliteDriver(`${switchboard.dataDir}/switchboard.db`);
    connection.exec(`INSERT INTO events(seq, received_at, type, headers, signature_header, signature_value, body)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MANY})
      SELECT (SELECT max(seq) FROM events) + i, 0, iif(i % 2, 'half.odd', 'half.even'), '[]', 'x-signature', '', CAST('{}' AS BLOB) FROM n`);
    connection.close();
    await switchboard.restart();
  });

  afterEach(() => jest.restoreAllMocks());

  it('returns an estimated count, marked so', async () => {
    let now = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    expect(await totalOfHalf()).toEqual(['false', MANY / 2]);
    jest.spyOn(performance, 'now').mockImplementation(() => (now += 600));
    const [estimated, events] = await totalOfHalf();
    expect(estimated).toBe('true');
    expect(events).toBeGreaterThan(MANY / 2 - MANY / 10);
    expect(events).toBeLessThan(MANY / 2 + MANY / 10);
  });

  it('estimates a histogram', async () => {
    let now = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => (now += 200));
    const { count, estimated, buckets } = await histogram('type=half.even');
    expect(estimated).toBe(true);
    expect(Math.abs(count - MANY / 2)).toBeLessThan(MANY / 10);
    expect(buckets[0]!.counts.unmatched).toBe(count);
  });

  it('is counted first where the time that is asked for is expected', async () => {
    const { received_at: at } = await switchboard.event(await switchboard.emit('half.late'));
    let now = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => (now += 200));
    expect(await switchboard.read(eventCount, `/events/count?since=${at}&type=half.*`)).toEqual({
      count: 1,
      estimated: true,
    });
  });
});

it('a preview of a replay of too many events to count is estimated and marked so', async () => {
  await switchboard.stop();
  const connection = new sqliteDriver(`${switchboard.dataDir}/switchboard.db`);
  // The events before it might have been removed by retention.
  connection.exec(`INSERT INTO events(seq, received_at, type, headers, signature_header, signature_value, body)
    SELECT max(seq) + 100000, 0, 'half.last', '[]', 'x-signature', '', CAST('{}' AS BLOB) FROM events`);
  const few = connection
    .prepare(`SELECT count(*) FROM events WHERE type = 'half.even' AND seq <= 1000`)
    .pluck()
    .get();
  connection.close();
  await switchboard.restart();
  const { id } = await switchboard.addTarget('elsewhere', (await startReceiver()).url, ['nothing']);
  const preview = (filter: object) =>
    switchboard.read(replayPreview, '/replays/preview', {
      method: 'POST',
      json: { filter: { types: ['half.even'], ...filter }, target_ids: [id], rate: { per_second: 100 } },
    });
  const counted = await preview({});
  expect(counted.estimated).toBe(true);
  expect(counted.events / (MANY / 2)).toBeCloseTo(1, 1);
  expect(counted.duration_s).toBeCloseTo(counted.events / 100);
  expect(await preview({ until_seq: 1_000 })).toMatchObject({
    estimated: false,
    events: few,
    deliveries: few,
  });
});
