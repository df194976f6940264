/** Each unit is used below `limit`, its count at which the next unit begins. */
const UNITS = [
  { name: 's', seconds: 1, limit: 60 },
  { name: 'min', seconds: 60, limit: 60 },
  { name: 'h', seconds: 3_600, limit: 24 },
  { name: 'd', seconds: 86_400, limit: Infinity },
] as const;

/** A duration in its largest unit: `4 s`, `12 min`, `3 h`, `9 d`. An age is rounded down. */
export function formatOneUnit(milliseconds: number, round = Math.floor): string {
  const seconds = Math.max(0, milliseconds / 1000);
  const countIn = (unit: (typeof UNITS)[number]) => round(seconds / unit.seconds);
  const unit = UNITS.find((one) => countIn(one) < one.limit) ?? UNITS[3];
  return `${countIn(unit)} ${unit.name}`;
}

/**
 * A relative time: `just now`, `4 s ago`, `in 12 min`. Times up to two seconds ahead are `just now`: the page's clock
 * ticks once a second, and the daemon's may be slightly ahead. Time left is rounded to the nearest unit: a period of
 * 30 days that has just begun is `in 30 d`, not `in 29 d`.
 */
export function formatRelative(at: string, now: number): string {
  const distance = now - new Date(at).getTime();
  if (distance > -2000 && distance < 1000) return 'just now';
  return distance > 0 ? `${formatOneUnit(distance)} ago` : `in ${formatOneUnit(-distance, Math.round)}`;
}

/** The time left until something is due: `in 12 min`, then `now`. */
export const formatTimeLeft = (at: string, now: number): string =>
  new Date(at).getTime() - now < 2000 ? 'now' : formatRelative(at, now);
