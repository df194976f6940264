import type { TargetPolicy } from '../../../src/contract/target-policy';
import { formatApproximate, formatDuration } from '../format/duration';

type Schedule = Pick<TargetPolicy, 'retry' | 'jitter' | 'max_age_s'>;

/** More than these are told by the first ones and the last. */
const MOST_LISTED = 9;
const FIRST_LISTED = 5;

/** The pauses between the tries in seconds, before chance has its part, as far as the age allows them. */
function computePauses({ retry, max_age_s: maxAge }: Schedule): number[] {
  const pauses =
    'delays_s' in retry
      ? retry.delays_s
      : Array.from({ length: retry.tries - 1 }, (_, i) =>
          Math.min(retry.first_s * retry.factor ** i, retry.cap_s),
        );
  let age = 0;
  return pauses.filter((pause) => (age += pause) <= maxAge);
}

const joinList = (items: readonly string[]) =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;

/** `5 s, 10 s, 20 s`; the same pause again and again is told once: `1 h four times`. */
function describePauses(pauses: readonly number[]): string {
  const runs: { pause: number; times: number }[] = [];
  for (const pause of pauses) {
    const last = runs.at(-1);
    if (last?.pause === pause) last.times += 1;
    else runs.push({ pause, times: 1 });
  }
  const parts = runs.map(({ pause, times }) =>
    times === 1 ? formatDuration(rounded(pause)) : `${formatDuration(rounded(pause))} (${times} times)`,
  );
  return parts.length > MOST_LISTED
    ? `${parts.slice(0, FIRST_LISTED).join(', ')} … ${parts.at(-1)}`
    : joinList(parts);
}

/** Three figures are enough to be read. */
const rounded = (seconds: number) => (seconds < 100 ? seconds : Math.round(seconds));

/** `8 attempts over about 12 h`. */
export function describeAttempts(schedule: Schedule): string {
  const pauses = computePauses(schedule);
  if (pauses.length === 0) return 'One attempt';
  const total = pauses.reduce((sum, pause) => sum + pause, 0);
  return `${pauses.length + 1} attempts over about ${formatApproximate(total)}`;
}

/** The whole schedule as sentences, as it comes about where nothing but failures are answered. */
export function describeSchedule(schedule: Schedule): string {
  const pauses = computePauses(schedule);
  if (pauses.length === 0) return 'One attempt, no retries.';
  const total = pauses.reduce((sum, pause) => sum + pause, 0);
  const percent = Math.round(schedule.jitter * 100);
  return [
    `${pauses.length + 1} attempts over about ${formatApproximate(total)}:`,
    `immediately, then after ${describePauses(pauses)}.`,
    percent === 0
      ? 'No jitter.'
      : `Each delay varies randomly by up to ${percent}%, so that deliveries that failed together are not retried together.`,
  ].join(' ');
}
