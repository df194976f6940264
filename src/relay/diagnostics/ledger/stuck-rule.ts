import type { Breakers } from '../../deliveries/sending/breakers';
import { isProbeDue } from '../../deliveries/sending/breaker';
import type { Dispatcher } from '../../deliveries/queue/dispatcher';
import { longestPauseMs } from '../../deliveries/sending/retry-schedule';
import type { DeliveryKey } from '../../ground/ids';
import type { TargetRecord } from '../../targets/target-record';
import type { Findings } from './findings';
import type { Read } from './read';

/** Deliveries due for longer should have been sent, unless many are queued before them. */
const OVERDUE_MS = 60_000;

/** The queues look for due deliveries several times within this. */
const RECHECK_AFTER_MS = 1_000;

/** Of each class the first and the last due; answered from the index alone. */
const extremes = ['min', 'max'].map(
  (end) => `SELECT event_seq AS seq, target_id AS target, n, ${end}(due_at) AS due FROM deliveries
    WHERE target_id = $target AND due_at IS NOT NULL GROUP BY class`,
);
const EARLIEST_AND_LATEST = extremes.join(' UNION ');

export interface StuckContext {
  read: Read;
  dispatcher: Dispatcher;
  breakers: Breakers;
  targets: readonly TargetRecord[];
  /** On the scale of `TimeBounds.latest`. */
  now: () => number;
}

/**
 * The delivery of a target that is due first is sent next. It is stuck if it is long overdue, nothing holds
 * it back or is in flight, and a second check confirms that. So is a delivery due later than any pause of
 * its target allows: a wrong clock has deferred it.
 */
export async function findStuck(tools: StuckContext, findings: Findings): Promise<void> {
  const before = await overdue(tools);
  if (before.length === 0) return;
  await new Promise<void>((resolve) => setTimeout(resolve, RECHECK_AFTER_MS));
  const after = new Set((await overdue(tools)).map(nameOf));
  for (const { fault, ...key } of before.filter((one) => after.has(nameOf(one))))
    findings.add(
      'delivery_stuck',
      `${findings.names.delivery(key)} ${fault}, although nothing holds it back.`,
    );
}

async function overdue({ read, dispatcher, breakers, targets, now }: StuckContext) {
  const found: (DeliveryKey & { fault: string })[] = [];
  for (const { number: target, paused, policy } of targets) {
    const { open } = breakers.of(target);
    const awaitsProbe = open !== null && !isProbeDue(open, policy, now());
    // A per-minute rate limit may block for that long.
    const heldUp = paused !== null || awaitsProbe || policy.rate?.per === 'minute';
    if (heldUp || dispatcher.inFlight(target) > 0) continue;
    const rows = await read<DeliveryKey & { due: number }>([EARLIEST_AND_LATEST, [{ target }]]);
    for (const { due, ...key } of rows) {
      const fault = faultOf(due - now(), longestPauseMs(policy));
      if (fault !== null) found.push({ ...key, fault });
    }
  }
  return found;
}

function faultOf(dueInMs: number, furthestMs: number): string | null {
  if (dueInMs < -OVERDUE_MS) return 'is long overdue';
  return dueInMs > furthestMs ? 'is due later than any pause allows' : null;
}

const nameOf = ({ seq, target, n }: DeliveryKey) => `${seq}.${target}.${n}`;
