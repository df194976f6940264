import { DEFAULT_PAUSE_REASON } from '@contract/constants';
import type { Target } from '@contract/target';
import { TimeAgo, TimeLeft } from '../../components/time-ago';
import { reasonOf } from '../../labels/target-labels';
import { BlockingDeadLetters } from './blocking-dead-letters';
import { useBlockingCount } from './use-blocking-count';

/** Why a target is disabled, paused, offline, down, blocked or failing, and when that ends; nothing for any other. */
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
        Paused <TimeAgo at={paused.at} />
        {paused.reason !== DEFAULT_PAUSE_REASON && `: “${reasonOf(paused)}”`}
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
        Went down <TimeAgo at={breaker.opened_at} />: {reasonOf(breaker)}; next probe{' '}
        <TimeLeft at={breaker.probe_at} />
      </>
    );
  if (blocking > 0) return <BlockingDeadLetters target={id} count={blocking} />;
  if (!health.states.includes('failing') || health.last_failure === null) return null;
  return (
    <>
      {reasonOf({ reason: health.last_failure.sentence })} <TimeAgo at={health.last_failure.at} />
    </>
  );
}
