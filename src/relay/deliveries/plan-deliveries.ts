import type { TargetRecord } from '../targets/target-record';

/** The numbers of the targets that an event goes to: those that are enabled and accept it, paused ones included. */
export function planDeliveries(
  event: { type: string; unreadable: string | null },
  targets: readonly TargetRecord[],
): number[] {
  return targets.filter((target) => target.enabled && target.accepts(event)).map((target) => target.number);
}
