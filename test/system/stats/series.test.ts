import { statsSeries, targetErrors, targetSeries, targetsTraffic } from '../../../src/contract/stats';
import type { RecordingTarget } from '../../support/fakes/recording-target';
import { useReceivers } from '../../support/fakes/receivers';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DOWNTIME_MS = 10 * MINUTE_MS;

let switchboard: Switchboard;
let receiver: RecordingTarget;
const startReceiver = useReceivers();
let targetId: string;

beforeAll(async () => {
  receiver = await startReceiver();
  switchboard = await Switchboard.start();
  ({ id: targetId } = await switchboard.addTarget('place', receiver.url, ['deal.*']));
});

afterAll(() => switchboard.end());

const series = (period: string) => switchboard.read(statsSeries, `/stats/series?period=${period}`);
const ofTarget = async () => (await switchboard.read(targetsTraffic, '/stats/targets')).data[0]!;
const sum = (counts: readonly (number | null)[]) => counts.reduce<number>((all, one) => all + (one ?? 0), 0);

const emitDelivered = async (count: number) => {
  for (let i = 0; i < count; i += 1) {
    const id = await switchboard.emit('deal.created');
    await switchboard.deliveryOnce(id, targetId, ({ state }) => state === 'succeeded');
  }
};

const errorsOf = (query: string) =>
  switchboard.read(targetErrors, `/stats/targets/${targetId}/errors?${query}`);

describe('the statistics of the last hour, day and week', () => {
  it('count events and attempts, in total and by target', async () => {
    await emitDelivered(2);
    await switchboard.emit('task.created');
    expect((await series('hour')).total).toMatchObject({ events: 3, delivered: 2, failed: 0 });
    expect(await ofTarget()).toMatchObject({ target_id: targetId });
    expect(sum((await ofTarget()).delivered)).toBe(2);
    expect((await ofTarget()).delivered).toHaveLength(60);
  });

  it('show the latest failure of a target', async () => {
    expect(await ofTarget()).toMatchObject({ last_failure: null });
    receiver.respondWith(500);
    const id = await switchboard.emit('deal.created');
    await switchboard.deliveryOnce(id, targetId, ({ state }) => state === 'retrying');
    receiver.respondWith(200);
    expect(await ofTarget()).toMatchObject({ last_failure: { status: 500, error: 'http_status' } });
    expect((await series('hour')).total).toMatchObject({ events: 4, failed: 1, dead: 0 });
    await switchboard.deliveryOnce(id, targetId, ({ state }) => state === 'succeeded');
  });

  it('show attempts, durations and backlog of one target over time', async () => {
    const read = (query: string) =>
      switchboard.read(targetSeries, `/stats/targets/${targetId}/series?${query}`);
    const { points, step_seconds: step } = await read('period=hour');
    expect(step).toBe(60);
    expect([sum(points.map((one) => one.delivered)), sum(points.map((one) => one.failed))]).toEqual([3, 1]);
    const [latest] = points.filter((one) => one.p95_ms !== null).slice(-1);
    expect(latest!.p50_ms).toBeLessThanOrEqual(latest!.p95_ms!);
    expect(points.at(-1)!.queued).toBe(0);
    const since = new Date(switchboard.clock.now() - 2 * HOUR_MS).toISOString();
    const end = new Date(switchboard.clock.now() - HOUR_MS).toISOString();
    expect(await read(`since=${since}&until=${end}`)).toMatchObject({ period: null, points: [] });
    expect(await errorsOf(`since=${since}&until=${end}`)).toMatchObject({
      period: null,
      attempts: 0,
      data: [],
    });
  });

  it.each(['hour', 'day', 'week'])('count failed attempts at a target by cause (%s)', async (period) => {
    const { attempts, data } = await errorsOf(`period=${period}`);
    expect({ attempts, data }).toMatchObject({ attempts: 4, data: [{ error: '500', attempts: 1 }] });
    expect(Date.parse(data[0]!.latest_at)).toBeLessThanOrEqual(switchboard.clock.now());
  });

  it('leave out the failed attempts of the minute that begins at the end of a range', async () => {
    const { data } = await errorsOf('period=hour');
    const minute = Date.parse(data[0]!.latest_at.slice(0, 'YYYY-MM-DDTHH:mm'.length) + 'Z');
    const range = [minute - HOUR_MS, minute].map((at) => new Date(at).toISOString());
    expect(await errorsOf(`since=${range[0]}&until=${range[1]}`)).toMatchObject({ data: [] });
  });

  it('are 404 for an unknown target', async () => {
    expect(await switchboard.ask('/stats/targets/tgt_none/errors')).toMatchObject({
      status: 404,
      json: { code: 'target_unknown' },
    });
  });

  it.each([
    ['hour', 60, 60],
    ['day', 300, 288],
    ['week', 3_600, 168],
  ])('of the last %s have steps of %i s, and none before the first start', async (period, step, most) => {
    const { points, since, until: end, step_seconds, total } = await series(period);
    expect(step_seconds).toBe(step);
    expect((Date.parse(end) - Date.parse(since)) / 1000).toBeGreaterThan((most - 1) * step);
    expect((Date.parse(end) - Date.parse(since)) / 1000).toBeLessThanOrEqual(most * step);
    // The test may have started at the end of a step.
    expect(points.length).toBeLessThanOrEqual(3);
    expect(total.events).toBe(4);
  });

  it('are those of the last hour by default; an unknown one is rejected', async () => {
    expect(await switchboard.read(statsSeries, '/stats/series')).toMatchObject({ period: 'hour' });
    expect(await switchboard.ask('/stats/series?period=year')).toMatchObject({ status: 400 });
  });

  it('are also those between two times, with steps that fit, and without what was before and after', async () => {
    const now = switchboard.clock.now();
    const between = (since: number, end?: number) => {
      const [from, to] = [since, end].map((at) => at && new Date(at).toISOString());
      return switchboard.read(
        statsSeries,
        `/stats/series?since=${from}${to === undefined ? '' : `&until=${to}`}`,
      );
    };
    const [recent, older] = [
      await between(now - 5 * MINUTE_MS),
      await between(now - HOUR_MS, now - 30 * MINUTE_MS),
    ];
    expect(recent).toMatchObject({ period: null, step_seconds: 60, total: { events: 4 } });
    expect(Date.parse(recent.since)).toBeGreaterThan(now - 6 * MINUTE_MS);
    expect(older).toMatchObject({ total: { events: 0 }, points: [] });
    expect(older.until).toBe(new Date(now - 30 * MINUTE_MS).toISOString());
    const steps = [24 * HOUR_MS, 48 * HOUR_MS, 30 * 24 * HOUR_MS].map(
      async (ms) => (await between(now - ms)).step_seconds,
    );
    expect(await Promise.all(steps)).toEqual([300, 3_600, 21_600]);
    expect(await switchboard.ask('/stats/series?since=yesterday')).toMatchObject({ status: 400 });
  });

  it('continue after a restart, with a gap and an outage for the downtime', async () => {
    const before = (await series('hour')).total;
    await switchboard.stop();
    switchboard.clock.move(DOWNTIME_MS);
    await switchboard.restart();
    await emitDelivered(1);
    await until('the outage is stored', async () => (await series('hour')).outages.length > 0);
    const { points, outages, total } = await series('hour');
    expect(total).toMatchObject({ events: before.events + 1, delivered: before.delivered + 1 });
    expect(outages).toMatchObject([{ kind: 'downtime' }]);
    const gap = points.map(({ at }, i) => Date.parse(at) - Date.parse(points[i - 1]?.at ?? at));
    expect(Math.max(...gap)).toBeGreaterThanOrEqual(DOWNTIME_MS - MINUTE_MS);
    expect((await ofTarget()).delivered.filter((count) => count === null).length).toBeGreaterThan(45);
  });

  it('include an outage while it overlaps the period', async () => {
    switchboard.clock.move(70 * MINUTE_MS);
    expect((await series('hour')).outages).toEqual([]);
    expect((await series('day')).outages).toHaveLength(1);
  });
});
