import type { TargetRecord } from '../targets/target-record';
import type { Pacing } from './pacing';
import type { UpcomingEvent } from './upcoming-events';

/** An event and where it is to go. */
export interface PlannedEvent {
  event: UpcomingEvent;
  targets: readonly TargetRecord[];
}

/** Those whose turn has come, from the first on. What goes nowhere needs none. */
export function inTime(planned: readonly PlannedEvent[], pacing: Pacing, now: number): PlannedEvent[] {
  const sent = planned.filter(isSent);
  const allowed = pacing.allowed(
    sent.map(({ event }) => event),
    now,
  );
  const next = sent[allowed];
  return planned.slice(0, next === undefined ? planned.length : planned.indexOf(next));
}

/** The events that have room at each of their targets, from the first on. */
export function fitting(planned: readonly PlannedEvent[], roomAt: (target: TargetRecord) => number) {
  const used = new Map<number, number>();
  const usedAt = ({ number }: TargetRecord) => used.get(number) ?? 0;
  const isFull = (target: TargetRecord) => roomAt(target) <= usedAt(target);
  const beyond = planned.findIndex(({ targets }) => {
    if (targets.some(isFull)) return true;
    for (const target of targets) used.set(target.number, usedAt(target) + 1);
    return false;
  });
  return {
    events: beyond === -1 ? [...planned] : planned.slice(0, beyond),
    /** How many of them go to a target. */
    usedAt,
    /** The targets that have no room for the next one. */
    full: planned[beyond]?.targets.filter(isFull) ?? [],
  };
}

/** In pieces of no more than so many deliveries, or of one event. */
export function piecesOf(planned: readonly PlannedEvent[], most: number): PlannedEvent[][] {
  const pieces: PlannedEvent[][] = [];
  let size = Infinity;
  for (const one of planned) {
    if (size + one.targets.length > most) {
      pieces.push([]);
      size = 0;
    }
    pieces.at(-1)!.push(one);
    size += one.targets.length;
  }
  return pieces;
}

export const isSent = ({ targets }: PlannedEvent): boolean => targets.length > 0;
