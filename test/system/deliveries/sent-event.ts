import { Switchboard } from '../../support/daemon/switchboard';
import { useReceivers } from '../../support/fakes/receivers';
import type { DeliveryDetail } from '../../../src/contract/delivery';

export const SECOND = 1_000;
export const MEGABYTE = 1024 * 1024;

/** The shortest timeout that a policy allows. */
export const TIMEOUT_MS = 1_000;

export let switchboard: Switchboard;
export const startReceiver = useReceivers();

let added = 0;
/** Adds a target for events of a type that no other target receives. */
async function add(url: string, more: object = {}) {
  const type = `sending.${(added += 1)}`;
  const created = await switchboard.addTarget(type, url, [type], {
    policy: { timeout_ms: TIMEOUT_MS },
    ...more,
  });
  return { id: created.id, type };
}

export interface SentEvent {
  eventId: string;
  targetId: string;
  delivery: DeliveryDetail;
}

const attempted = ({ attempts, state }: DeliveryDetail) => attempts.length > 0 && state !== 'in_flight';

/** Adds a target at the URL and sends it one event. @returns its delivery after the first attempt */
export async function sendOnce(url: string, more: object = {}): Promise<SentEvent> {
  const { id: targetId, type } = await add(url, more);
  const eventId = await switchboard.emit(type);
  return { eventId, targetId, delivery: await switchboard.deliveryOnce(eventId, targetId, attempted) };
}

/** Advances the clock until the next attempt is due, and waits for its result. */
export async function sendAgain({ eventId, targetId, delivery }: SentEvent): Promise<DeliveryDetail> {
  switchboard.clock.move(Date.parse(delivery.due_at!) - switchboard.clock.now() + SECOND);
  return switchboard.deliveryOnce(
    eventId,
    targetId,
    ({ attempts, state }) => attempts.length > delivery.attempts.length && state !== 'in_flight',
  );
}

export const assertRetrying = ({ delivery }: SentEvent, error: string, status: number | null = null) =>
  expect(delivery).toMatchObject({ state: 'retrying', attempts: [{ number: 1, status, error }] });

/** Starts a daemon. */
export function useSending(): void {
  beforeAll(async () => {
    switchboard = await Switchboard.start();
  });

  afterAll(async () => {
    await switchboard.end();
  });
}
