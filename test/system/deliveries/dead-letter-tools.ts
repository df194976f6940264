import { Switchboard } from '../../support/daemon/switchboard';
import { useReceivers } from '../../support/fakes/receivers';
import { pageOf } from '../../../src/contract/page';
import { target } from '../../../src/contract/target';
import { delivery, deliveryJob, type DeliveryJob } from '../../../src/contract/delivery';
import { deliveryJobDetail } from '../../../src/contract/delivery-job';
import { until } from '../../support/until';
import { stats } from '../../../src/contract/stats';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;

export let switchboard: Switchboard;
export const startReceiver = useReceivers();

export const emitMany = async (type: string, count: number) => {
  const events: string[] = [];
  for (let i = 0; i < count; i += 1) events.push(await switchboard.emit(type));
  return events;
};
export const list = async (query: string) =>
  (await switchboard.read(pageOf(delivery), `/deliveries?limit=200&${query}`)).data;

/** A single attempt, so that a rejected delivery is dead at once. */
export const ONE_ATTEMPT = { retry: { delays_s: [] }, breaker: null } as const;
export const startJob = (action: 'retry' | 'discard', json: object) =>
  switchboard.read(deliveryJob, `/deliveries/${action}`, { method: 'POST', json });
export const untilEnded = async ({ id }: DeliveryJob): Promise<DeliveryJob> => {
  const job = () => switchboard.read(deliveryJobDetail, `/deliveries/jobs/${id}`);
  await until('the job has ended', async () => (await job()).state !== 'running');
  return job();
};
export const untilDead = async (targetId: string, count: number) =>
  until('all are dead', async () => (await list(`target=${targetId}&status=dead`)).length === count);
export const deadCount = async () => (await switchboard.read(stats, '/stats')).deliveries.dead;

/** Starts the daemon again on the data of the stopped one. */
export async function startAgain(): Promise<void> {
  await switchboard.restart();
}

/** Starts a daemon, whose targets are removed after each test. */
export function useDeliveries(): void {
  beforeAll(async () => {
    switchboard = await Switchboard.start();
  });

  // Queued retries would otherwise be sent, or become dead letters, during another test.
  afterEach(async () => {
    switchboard.clock.resume();
    for (const one of (await switchboard.read(pageOf(target), '/targets')).data)
      await switchboard.removeTarget(one);
  });

  afterAll(async () => {
    await switchboard.end();
  });
}
