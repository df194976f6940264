import { statsSeries, targetErrors, targetsTraffic } from '../../../src/contract/stats';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const MINUTE_MS = 60_000;
const AWAY_MS = 10 * MINUTE_MS;

let board: Switchboard;
let place: RecordingTarget;
let targetId: string;

beforeAll(async () => {
  place = await RecordingTarget.start();
  board = await Switchboard.start();
  ({ id: targetId } = await board.addTarget('place', place.url, ['deal.*']));
});

afterAll(async () => {
  await board.end();
  await place.close();
});

const series = (span: string) => board.read(statsSeries, `/stats/series?span=${span}`);
const ofTarget = async () => (await board.read(targetsTraffic, '/stats/targets')).data[0]!;
const sum = (counts: readonly (number | null)[]) => counts.reduce<number>((all, one) => all + (one ?? 0), 0);

const emitDelivered = async (count: number) => {
  for (let i = 0; i < count; i += 1) {
    const id = await board.emit('deal.created');
    await board.deliveryOnce(id, targetId, ({ state }) => state === 'succeeded');
  }
};

describe('what happened over the last hour, day and week', () => {
  it('counts events and attempts, all together and at each target', async () => {
    await emitDelivered(2);
    await board.emit('task.created');
    expect((await series('hour')).total).toMatchObject({ events: 3, delivered: 2, failed: 0 });
    expect(await ofTarget()).toMatchObject({ target_id: targetId });
    expect(sum((await ofTarget()).delivered)).toBe(2);
    expect((await ofTarget()).delivered).toHaveLength(60);
  });

  it('names the newest failure of a target', async () => {
    expect(await ofTarget()).toMatchObject({ last_failure: null });
    place.answer(500);
    const id = await board.emit('deal.created');
    await board.deliveryOnce(id, targetId, ({ state }) => state === 'retrying');
    place.answer(200);
    expect(await ofTarget()).toMatchObject({ last_failure: { status: 500, error: 'http_status' } });
    expect((await series('hour')).total).toMatchObject({ events: 4, failed: 1, died: 0 });
    await board.deliveryOnce(id, targetId, ({ state }) => state === 'succeeded', 20_000);
  });

  it.each(['hour', 'day', 'week'])('counts how attempts at a target failed (%s)', async (span) => {
    const { attempts, data } = await board.read(
      targetErrors,
      `/stats/targets/${targetId}/errors?span=${span}`,
    );
    expect({ attempts, data }).toMatchObject({ attempts: 4, data: [{ error: '500', attempts: 1 }] });
    expect(Date.parse(data[0]!.latest_at)).toBeLessThanOrEqual(board.clock.now());
  });

  it('knows no errors of a target that it does not know', async () => {
    expect(await board.ask('/stats/targets/tgt_none/errors')).toMatchObject({
      status: 404,
      json: { code: 'target_unknown' },
    });
  });

  it.each([
    ['hour', 60, 60],
    ['day', 300, 288],
    ['week', 3_600, 168],
  ])('over the last %s has steps of %i s, and none from before the first start', async (span, step, most) => {
    const { points, since, until: end, step_seconds, total } = await series(span);
    expect(step_seconds).toBe(step);
    expect((Date.parse(end) - Date.parse(since)) / 1000).toBeGreaterThan((most - 1) * step);
    expect((Date.parse(end) - Date.parse(since)) / 1000).toBeLessThanOrEqual(most * step);
    // The test may have begun at the end of a step.
    expect(points.length).toBeLessThanOrEqual(3);
    expect(total.events).toBe(4);
  });

  it('takes the hour unless a span is named, and refuses one that it does not know', async () => {
    expect(await board.read(statsSeries, '/stats/series')).toMatchObject({ span: 'hour' });
    expect(await board.ask('/stats/series?span=year')).toMatchObject({ status: 400 });
  });

  it('goes on after a new start, with a gap and an outage where the hub was away', async () => {
    const before = (await series('hour')).total;
    await board.stop();
    board.clock.move(AWAY_MS);
    board = await Switchboard.start({ after: board });
    await emitDelivered(1);
    await until('the outage is on record', async () => (await series('hour')).outages.length > 0);
    const { points, outages, total } = await series('hour');
    expect(total).toMatchObject({ events: before.events + 1, delivered: before.delivered + 1 });
    expect(outages).toMatchObject([{ kind: 'downtime' }]);
    const gap = points.map(({ at }, i) => Date.parse(at) - Date.parse(points[i - 1]?.at ?? at));
    expect(Math.max(...gap)).toBeGreaterThanOrEqual(AWAY_MS - MINUTE_MS);
    expect((await ofTarget()).delivered.filter((count) => count === null).length).toBeGreaterThan(45);
  });

  it('names an outage as long as it reaches into the span', async () => {
    board.clock.move(70 * MINUTE_MS);
    expect((await series('hour')).outages).toEqual([]);
    expect((await series('day')).outages).toHaveLength(1);
  });
});
