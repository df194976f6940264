import type { Alert } from '../../../src/relay/events/alert';
import { RouterAlertsWorker } from '../../../src/relay/system-events/router-alerts.worker';
import { FixedClock } from '../../support/clock';

const MINUTE = 60_000;

it('is raised after a minute without progress, and resolved', async () => {
  let lag: { position: number; newest: number } | null = null;
  let active: Alert[] = [];
  const clock = new FixedClock(0);
  const alerts = {
    active: () => active,
    raise: (alert: Alert) => (active = [...active, alert]),
    resolve: () => (active = []),
  };
  const worker = new RouterAlertsWorker(
    { lag: async () => lag } as never,
    alerts as never,
    clock,
    {} as never,
  );
  const check = async (position: number, newest: number) => {
    lag = { position, newest };
    await worker.tick();
    return active.length;
  };
  await worker.tick();
  expect(await check(5, 9)).toBe(0);
  clock.time += MINUTE;
  // What was stored a minute ago was evaluated.
  expect(await check(9, 20)).toBe(0);
  clock.time += MINUTE - 1;
  expect(await check(10, 30)).toBe(0);
  clock.time += 1;
  expect(await check(10, 40)).toBe(1);
  expect(await check(10, 41)).toBe(1);
  expect(active).toMatchObject([{ type: 'relay.router.behind', severity: 'warning', data: { lag: 30 } }]);
  expect(await check(20, 41)).toBe(0);
});
