import type { Target } from '@contract/target';
import { TimeAgo, TimeLeft } from '../../components/time-ago';
import { reasonOf } from '../../labels/target-labels';
import { BlockingDeadLetters } from './blocking-dead-letters';
import { useBlockingCount } from './use-blocking-count';

/** Why a target is disabled, paused, offline, down or blocked, and when that ends; nothing for any other. */
export function TargetCondition({ target }: { target: Target }) {
  const { id, paused, disabled, breaker, listener, health } = target;
  const blocking = useBlockingCount(target);
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
  if (listener !== null && health.states.includes('offline'))
    return listener.connected ? (
      <>Connected, but its receiver refuses connections</>
    ) : (
      <>
        {listener.since === null ? (
          'No program has connected yet'
        ) : (
          <>
            Disconnected <TimeAgo at={listener.since} />
          </>
        )}
        : start switchboard listen
      </>
    );
  if (breaker !== null)
    return (
      <>
        Circuit breaker opened <TimeAgo at={breaker.opened_at} />: {reasonOf(breaker)}; next probe{' '}
        <TimeLeft at={breaker.probe_at} />
      </>
    );
  return blocking > 0 ? <BlockingDeadLetters target={id} count={blocking} /> : null;
}
