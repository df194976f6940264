import type { TargetRecord } from '../targets/target-record';
import type { Pacing } from './pacing';
import type { UpcomingEvent } from './upcoming-events';

/** An event and the targets to send it to. */
export interface PlannedEvent {
  event: UpcomingEvent;
  targets: readonly TargetRecord[];
}

/** The first events that the pacing allows now. Events without targets do not count. */
export function takePaced(planned: readonly PlannedEvent[], pacing: Pacing, now: number): PlannedEvent[] {
  const sent = planned.filter(hasTargets);
  const allowed = pacing.allowed(
    sent.map(({ event }) => event),
    now,
  );
  const next = sent[allowed];
  return planned.slice(0, next === undefined ? planned.length : planned.indexOf(next));
}

/** The first events whose targets all have capacity. */
export function takeWithCapacity(
  planned: readonly PlannedEvent[],
  capacityOf: (target: TargetRecord) => number,
) {
  const used = new Map<number, number>();
  const usedAt = ({ number }: TargetRecord) => used.get(number) ?? 0;
  const isFull = (target: TargetRecord) => capacityOf(target) <= usedAt(target);
  const beyond = planned.findIndex(({ targets }) => {
    if (targets.some(isFull)) return true;
    for (const target of targets) used.set(target.number, usedAt(target) + 1);
    return false;
  });
  return {
    events: beyond === -1 ? [...planned] : planned.slice(0, beyond),
    /** The number of these events for a target. */
    usedAt,
    /** The targets without capacity for the next event. */
    full: planned[beyond]?.targets.filter(isFull) ?? [],
  };
}

/** Splits events into pieces of at most `max` deliveries, or a single event. */
export function splitByDeliveries(planned: readonly PlannedEvent[], max: number): PlannedEvent[][] {
  const pieces: PlannedEvent[][] = [];
  let size = Infinity;
  for (const one of planned) {
    if (size + one.targets.length > max) {
      pieces.push([]);
      size = 0;
    }
    pieces.at(-1)!.push(one);
    size += one.targets.length;
  }
  return pieces;
}

export const hasTargets = ({ targets }: PlannedEvent): boolean => targets.length > 0;
