import type { ClockJump } from '../ground/time-bounds';

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** Sentence and remedy of the alert for a clock jump. */
export function describeJump({ direction, ms, to }: ClockJump): { sentence: string; remedy: string } {
  const now = new Date(to).toISOString();
  if (direction === 'back')
    return {
      sentence: `The system clock was set back by ${formatSpan(ms)}, to ${now}. Deliveries, probes and renewals are not affected; timestamps stored from now on may precede earlier ones.`,
      remedy: SYNCHRONIZE,
    };
  return {
    sentence: `The system clock was set ahead by ${formatSpan(ms)}, to ${now}, or the machine was suspended for that long. Nothing is removed because of the resulting age until the clock has been stable for a day.`,
    remedy: `${SYNCHRONIZE} If the time is wrong, correct it within that day.`,
  };
}

const SYNCHRONIZE = 'Check that the time is correct now, and keep it synchronized (NTP).';

/** In the largest unit that fits. */
function formatSpan(ms: number): string {
  const [name, unit] = UNITS.find(([, size]) => ms >= size) ?? UNITS[3];
  const count = Math.round(ms / unit);
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
