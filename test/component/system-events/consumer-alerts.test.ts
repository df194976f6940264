import type { Alert } from '../../../src/relay/events/alert';
import { ConsumerAlertsWorker } from '../../../src/relay/system-events/consumer-alerts.worker';
import { FollowingHarness, OPERATOR, RETENTION_DAYS } from '../../support/daemon/following-harness';
import { ScratchJournal } from '../../support/daemon/scratch-journal';

const DAY_MS = 86_400_000;

const fail = (details: object) => {
  throw new Error(JSON.stringify(details));
};

let hub: FollowingHarness;
let worker: ConsumerAlertsWorker;
let active: Alert[];

beforeEach(async () => {
  hub = await FollowingHarness.on(await ScratchJournal.open());
  active = [];
  const alerts = {
    active: () => active,
    raise: (alert: Alert) => active.push(alert),
    resolve: (type: string, subject: string) =>
      (active = active.filter((one) => one.type !== type || one.subject !== subject)),
  };
  worker = new ConsumerAlertsWorker(hub.states, alerts as never, { error: fail } as never);
  await hub.append(4);
  await hub.create({ name: 'orders', start: 'oldest' });
});
afterEach(() => hub.close());

/** The active alerts after a check. */
async function check(): Promise<unknown[]> {
  await worker.tick();
  return active.map(({ type, severity, data }) => [type, severity, data]);
}

it('is raised when an unread event has used 80 % of its time, until it is read', async () => {
  hub.store.clock.time += 0.79 * RETENTION_DAYS * DAY_MS;
  expect(await check()).toEqual([]);
  hub.store.clock.time += 0.01 * RETENTION_DAYS * DAY_MS;
  const expiring = ['relay.consumer.expiring', 'warning', { consumer: 'orders', lag: 4 }];
  expect(await check()).toEqual([expiring]);
  expect(await check()).toEqual([expiring]);
  const { lease } = await hub.read('orders');
  await hub.commit('orders', lease, 4);
  expect(await check()).toEqual([]);
});

it('is critical once events are lost, until the consumer is reset', async () => {
  await hub.prune(1, 2);
  expect(await check()).toEqual([['relay.consumer.pruned', 'critical', { consumer: 'orders', missed: 2 }]]);
  await hub.consumers.reset('orders', 'oldest', OPERATOR);
  expect(await check()).toEqual([]);
});
