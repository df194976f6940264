import type { TargetPolicy } from '@contract/target-policy';
import { formatApproximate, formatDuration } from '../format/duration';

type Schedule = Pick<TargetPolicy, 'retry' | 'jitter' | 'max_age_s'>;

/** Schedules with more delays are shortened to the first few and the last. */
const MAX_LISTED = 9;
const FIRST_LISTED = 5;

/** The delays before each retry, in seconds without jitter, as far as the lifetime allows. */
function delaysOf({ retry, max_age_s: maxAge }: Schedule): number[] {
  const delays =
    'delays_s' in retry
      ? retry.delays_s
      : Array.from({ length: retry.attempts - 1 }, (_, i) =>
          Math.min(retry.first_s * retry.factor ** i, retry.cap_s),
        );
  let age = 0;
  return delays.filter((delay) => (age += delay) <= maxAge);
}

const joinList = (items: readonly string[]) =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;

/** `5 s, 10 s and 20 s`; equal delays are combined: `1 h (4 times)`. */
function describeDelays(delays: readonly number[]): string {
  const runs: { delay: number; times: number }[] = [];
  for (const delay of delays) {
    const last = runs.at(-1);
    if (last?.delay === delay) last.times += 1;
    else runs.push({ delay, times: 1 });
  }
  const parts = runs.map(({ delay, times }) =>
    times === 1 ? formatDuration(rounded(delay)) : `${formatDuration(rounded(delay))} (${times} times)`,
  );
  return parts.length > MAX_LISTED
    ? `${parts.slice(0, FIRST_LISTED).join(', ')} … ${parts.at(-1)}`
    : joinList(parts);
}

/** Whole seconds are precise enough from 100 s. */
const rounded = (seconds: number) => (seconds < 100 ? seconds : Math.round(seconds));

/** `8 attempts over about 12 h`. */
export function describeAttempts(schedule: Schedule): string {
  const delays = delaysOf(schedule);
  if (delays.length === 0) return 'One attempt';
  const total = delays.reduce((sum, delay) => sum + delay, 0);
  return `${delays.length + 1} attempts over about ${formatApproximate(total)}`;
}

/** The schedule of a delivery whose attempts all fail. */
export function describeSchedule(schedule: Schedule): string {
  const delays = delaysOf(schedule);
  if (delays.length === 0) return 'One attempt, no retries.';
  const total = delays.reduce((sum, delay) => sum + delay, 0);
  const percent = Math.round(schedule.jitter * 100);
  return [
    `${delays.length + 1} attempts over about ${formatApproximate(total)}:`,
    `immediately, then after ${describeDelays(delays)}.`,
    percent === 0
      ? 'No jitter.'
      : `Each delay varies randomly by up to ${percent}%, so that deliveries that failed together are not retried together.`,
  ].join(' ');
}
