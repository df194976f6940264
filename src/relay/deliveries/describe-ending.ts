import type { AttemptError, Ending } from '../../contract/delivery';
import type { TargetRecord } from '../targets/target-record';
import { describeOutcome } from './describe-outcome';

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** How the last attempt at a delivery ended; both null before the first one. */
interface LastAttempt {
  status: number | null;
  error: AttemptError | null;
}

/** Why a delivery ended without another attempt, as a sentence or two. */
export function describeEnding(
  ending: Ending,
  last: LastAttempt,
  { disabled, policy }: Pick<TargetRecord, 'disabled' | 'policy'>,
): string {
  if (ending === 'gone') return `Given up when its target was disabled: ${disabled?.reason ?? ''}`;
  const tried = last.error === null ? 'It was never tried.' : `The last try: ${describeOutcome(last)}.`;
  return `Not delivered within ${inWords(policy.max_age_s)}. ${tried}`;
}

/** In the largest unit that tells it exactly. */
function inWords(seconds: number): string {
  const [name, size] = UNITS.find(([, unit]) => seconds % unit === 0) ?? ['second', 1];
  const count = seconds / size;
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
