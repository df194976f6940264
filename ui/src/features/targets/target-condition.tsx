import type { Target } from '@contract/target';
import { TimeAgo, TimeLeft } from '../../components/time-ago';
import { reasonOf } from '../../labels/target-labels';

/** Why a target is disabled, paused or down, and when that ends; nothing for any other. */
export function TargetCondition({ target: { paused, disabled, breaker } }: { target: Target }) {
  if (disabled !== null)
    return (
      <>
        Disabled <TimeAgo at={disabled.at} />: {reasonOf(disabled)}
      </>
    );
  if (paused !== null)
    return (
      <>
        {reasonOf(paused)} <TimeAgo at={paused.at} />
        {paused.until !== null && (
          <>
            , resumes <TimeLeft at={paused.until} />
          </>
        )}
      </>
    );
  if (breaker !== null)
    return (
      <>
        Circuit breaker opened <TimeAgo at={breaker.opened_at} />: {reasonOf(breaker)}; next probe{' '}
        <TimeLeft at={breaker.probe_at} />
      </>
    );
  return null;
}
