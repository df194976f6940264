import type { BreakerStore } from '../../deliveries/sending/breaker.store';
import { isProbeDue } from '../../deliveries/sending/breaker';
import type { ListenerLinks } from '../../deliveries/listeners/listener-links';
import type { DispatchWorker } from '../../deliveries/queue/dispatch.worker';
import { longestPauseMs } from '../../deliveries/sending/retry-schedule';
import { deliveryKeyText, type DeliveryKey } from '../../ground/ids';
import type { TargetRecord } from '../../targets/target-record';
import type { Findings, Read } from './findings';

/** A delivery that has been due for longer should have been sent. */
const OVERDUE_MS = 60_000;

/** Within this time, the queues look for due deliveries several times. */
const RECHECK_AFTER_MS = 1_000;

/** The first and the last due delivery of each class, read from the index alone. */
const EARLIEST_AND_LATEST = ['ASC', 'DESC']
  .map(
    (order) => `SELECT seq, target, n, due_at FROM (
      SELECT event_seq AS seq, target_id AS target, n, due_at, row_number() OVER (PARTITION BY class ORDER BY due_at ${order}) AS place
      FROM deliveries WHERE target_id = @target AND due_at IS NOT NULL) due
    WHERE place = 1`,
  )
  .join(' UNION ');

export interface StuckContext {
  read: Read;
  dispatcher: DispatchWorker;
  breakers: BreakerStore;
  listeners: ListenerLinks;
  targets: readonly TargetRecord[];
  /** On the scale of `TimeBounds.latest`. */
  now: () => number;
}

/**
 * Finds deliveries that are never going to be sent. The first due delivery of a target is stuck if it is long overdue
 * although the target is neither paused, offline nor waiting for a probe and has nothing in flight, and a second look
 * confirms that. A delivery is also stuck if it is due later than any retry delay allows, because the clock was wrong
 * when it was scheduled.
 */
export async function findStuck(context: StuckContext, findings: Findings): Promise<void> {
  const before = await findOverdue(context);
  if (before.length === 0) return;
  await new Promise<void>((resolve) => setTimeout(resolve, RECHECK_AFTER_MS));
  const after = new Set((await findOverdue(context)).map(deliveryKeyText));
  for (const { problem, ...key } of before.filter((one) => after.has(deliveryKeyText(one))))
    findings.add(
      'delivery_stuck',
      `${findings.names.delivery(key)} ${problem}, although nothing holds it back.`,
    );
}

async function findOverdue({ read, dispatcher, breakers, listeners, targets, now }: StuckContext) {
  const found: (DeliveryKey & { problem: string })[] = [];
  for (const record of targets) {
    const { number: target, paused, policy } = record;
    const { open } = breakers.of(target);
    const awaitsProbe = open !== null && !isProbeDue(open, policy, now());
    // A per-minute rate limit may block for that long.
    const isHeld = paused !== null || listeners.isOffline(record);
    const isBlocked = isHeld || awaitsProbe || policy.rate?.per === 'minute';
    if (isBlocked || dispatcher.inFlight(target) > 0) continue;
    const rows = await read<DeliveryKey & { due_at: number }>([EARLIEST_AND_LATEST, [{ target }]]);
    for (const { due_at: due, ...key } of rows) {
      const problem = describeDelay(due - now(), longestPauseMs(policy));
      if (problem !== null) found.push({ ...key, problem });
    }
  }
  return found;
}

function describeDelay(dueInMs: number, furthestMs: number): string | null {
  if (dueInMs < -OVERDUE_MS) return 'is long overdue';
  return dueInMs > furthestMs ? 'is due later than any pause allows' : null;
}
