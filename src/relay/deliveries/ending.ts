import type { AttemptError, Ending } from '../../contract/delivery';
import type { AgeLimit } from '../ground/clock-corrections';
import type { TimeBounds } from '../ground/time-bounds';
import type { TargetRecord } from '../targets/target-record';
import { describeOutcome } from './sending/attempt-outcome';

const SECOND = 1_000;

/**
 * Why a queued delivery must end without another attempt: its target is gone (disabled after a 410), or it is past
 * its lifetime. Null if it need not end.
 * @param createdAt ms since 1970
 */
export function endingOf(createdAt: number, target: EndingSettings, bounds: TimeBounds): Ending | null {
  if (target.disabled !== null) return 'gone';
  return bounds.ageOf(createdAt) >= target.policy.max_age_s * SECOND ? 'expired' : null;
}

/** When the queued deliveries were created that must end: at any time if the target is gone. */
export const endedLimit = ({ disabled, policy }: EndingSettings, bounds: TimeBounds): AgeLimit =>
  disabled === null
    ? bounds.olderThan(policy.max_age_s * SECOND - 1)
    : { before: Number.MAX_SAFE_INTEGER, kept: [] };

type EndingSettings = Pick<TargetRecord, 'disabled' | 'policy'>;

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** The last attempt of a delivery; both null before the first one. */
interface LastAttempt {
  status: number | null;
  error: AttemptError | null;
}

/** Why a delivery ended without another attempt, as sentences. */
export function describeEnding(
  ending: Ending,
  last: LastAttempt,
  { disabled, policy }: EndingSettings,
): string {
  if (ending === 'gone') return `Not delivered: the target was disabled. ${disabled?.reason ?? ''}`.trim();
  const attempt = last.error === null ? 'No attempt was made.' : `Last attempt: ${describeOutcome(last)}.`;
  return `Not delivered within ${formatDuration(policy.max_age_s)}. ${attempt}`;
}

/** A duration in the largest unit of which it is a multiple. */
function formatDuration(seconds: number): string {
  const [name, size] = UNITS.find(([, unit]) => seconds % unit === 0) ?? ['second', 1];
  const count = seconds / size;
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
