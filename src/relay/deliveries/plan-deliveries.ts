import { acceptingTargets } from '../targets/accepting-targets';
import type { TargetRecord } from '../targets/target-record';

/** Which targets an event goes to. @param content the event's JSON, parsed */
export function planDeliveries(
  event: { type: string; entity: string | null; unreadable: string | null },
  targets: readonly TargetRecord[],
  content: unknown,
): number[] {
  return acceptingTargets(event, targets, () => content).map(({ number }) => number);
}
