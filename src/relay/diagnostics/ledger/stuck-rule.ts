import type { Breakers } from '../../deliveries/sending/breakers';
import { isProbeDue } from '../../deliveries/sending/breaker';
import type { Dispatcher } from '../../deliveries/queue/dispatcher';
import { longestPauseMs } from '../../deliveries/sending/retry-schedule';
import type { DeliveryKey } from '../../ground/ids';
import type { TargetRecord } from '../../targets/target-record';
import type { Findings } from './findings';
import type { Read } from './read';

/** What has been due for so long should have been sent, unless much waits before it. */
const OVERDUE_MS = 60_000;

/** The queues look for what is due several times within this. */
const SECOND_LOOK_MS = 1_000;

/** Of each class what has been due for longest, and what is due last; no row is touched on the way. */
const ends = ['min', 'max'].map(
  (end) => `SELECT event_seq AS seq, target_id AS target, n, ${end}(due_at) AS due FROM deliveries
    WHERE target_id = $target AND due_at IS NOT NULL GROUP BY class`,
);
const FIRST_AND_LAST = ends.join(' UNION ');

export interface StuckTools {
  read: Read;
  dispatcher: Dispatcher;
  breakers: Breakers;
  targets: readonly TargetRecord[];
  /** On the scale of `TimeBounds.latest`. */
  now: () => number;
}

/**
 * Whatever has been due for longest at a target is next to be sent to it. It is stuck where it is long overdue, nothing
 * holds it up, nothing else is on its way, and all of that is still so at a second look. So is what is due further off than
 * any pause of its target: a clock that was wrong has put it off.
 */
export async function findStuck(tools: StuckTools, findings: Findings): Promise<void> {
  const before = await overdue(tools);
  if (before.length === 0) return;
  await new Promise<void>((resolve) => setTimeout(resolve, SECOND_LOOK_MS));
  const after = new Set((await overdue(tools)).map(nameOf));
  for (const { fault, ...key } of before.filter((one) => after.has(nameOf(one))))
    findings.add('delivery_stuck', `${findings.names.delivery(key)} ${fault}, and nothing holds it up.`);
}

async function overdue({ read, dispatcher, breakers, targets, now }: StuckTools) {
  const found: (DeliveryKey & { fault: string })[] = [];
  for (const { number: target, paused, policy } of targets) {
    const { open } = breakers.of(target);
    const awaitsProbe = open !== null && !isProbeDue(open, policy, now());
    // A rate by the minute may let nothing through for as long as that.
    const heldUp = paused !== null || awaitsProbe || policy.rate?.per === 'minute';
    if (heldUp || dispatcher.inFlight(target) > 0) continue;
    const rows = await read<DeliveryKey & { due: number }>([FIRST_AND_LAST, [{ target }]]);
    for (const { due, ...key } of rows) {
      const fault = faultOf(due - now(), longestPauseMs(policy));
      if (fault !== null) found.push({ ...key, fault });
    }
  }
  return found;
}

function faultOf(dueInMs: number, furthestMs: number): string | null {
  if (dueInMs < -OVERDUE_MS) return 'is long overdue';
  return dueInMs > furthestMs ? 'is due further off than any pause' : null;
}

const nameOf = ({ seq, target, n }: DeliveryKey) => `${seq}.${target}.${n}`;
