import type { ClockJump } from '../ground/time-bounds';

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** What happened and what to do, as an alert wants it. */
export function describeJump({ direction, ms, to }: ClockJump): { sentence: string; remedy: string } {
  const now = new Date(to).toISOString();
  if (direction === 'back')
    return {
      sentence: `The clock of this machine was set back by ${spanOf(ms)}, to ${now}. Deliveries, probes and renewals keep their pace; times that are stored from now on may lie before earlier ones.`,
      remedy: SYNCHRONISE,
    };
  return {
    sentence: `The clock of this machine was set ahead by ${spanOf(ms)}, to ${now}, or the machine stood still for so long. Nothing is removed for an age that comes of it until the clock has stood for a day.`,
    remedy: `${SYNCHRONISE} If the time is wrong, set it right within that day.`,
  };
}

const SYNCHRONISE = 'Look whether the time is right now, and keep it synchronised (NTP).';

/** In the largest unit that it has one of, in words. */
function spanOf(ms: number): string {
  const [name, unit] = UNITS.find(([, size]) => ms >= size) ?? UNITS[3];
  const count = Math.round(ms / unit);
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
