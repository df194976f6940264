import type { Breakers } from '../deliveries/breakers';
import type { Dispatcher } from '../deliveries/dispatcher';
import type { DeliveryKey } from '../ids';
import type { TargetRecord } from '../targets/target-record';
import type { Findings } from './findings';
import type { Read } from './read';

/** What has been due for so long should have been sent, unless much waits before it. */
const OVERDUE_MS = 60_000;

/** The queues look for what is due several times within this. */
const SECOND_LOOK_MS = 1_000;

/** Of each class the one that has been due for longest; no row is touched on the way. */
const FIRST_DUE = `SELECT event_seq AS seq, target_id AS target, n, min(due_at) AS due FROM deliveries
  WHERE target_id = ? AND due_at IS NOT NULL GROUP BY class`;

export interface StuckTools {
  read: Read;
  dispatcher: Dispatcher;
  breakers: Breakers;
  targets: readonly TargetRecord[];
  now: () => number;
}

/**
 * Whatever has been due for longest at a target is next to be sent to it. It is stuck where it is long overdue, nothing
 * holds it up, nothing else is on its way, and all of that is still so at a second look.
 */
export async function findStuck(tools: StuckTools, findings: Findings): Promise<void> {
  const before = await overdue(tools);
  if (before.length === 0) return;
  await new Promise<void>((resolve) => setTimeout(resolve, SECOND_LOOK_MS));
  const after = new Set((await overdue(tools)).map(nameOf));
  for (const key of before.filter((one) => after.has(nameOf(one))))
    findings.add(
      'delivery_stuck',
      `${findings.names.delivery(key)} is long overdue, and nothing holds it up.`,
    );
}

async function overdue({ read, dispatcher, breakers, targets, now }: StuckTools) {
  const found: DeliveryKey[] = [];
  for (const { number, paused, policy } of targets) {
    // A rate by the minute may let nothing through for as long as that.
    const heldUp = paused !== null || breakers.of(number).open !== null || policy.rate?.per === 'minute';
    if (heldUp || dispatcher.inFlight(number) > 0) continue;
    const firsts = await read<DeliveryKey & { due: number }>([FIRST_DUE, [number]]);
    found.push(...firsts.filter(({ due }) => due < now() - OVERDUE_MS));
  }
  return found;
}

const nameOf = ({ seq, target, n }: DeliveryKey) => `${seq}.${target}.${n}`;
