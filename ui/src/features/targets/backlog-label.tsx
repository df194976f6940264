import type { Target } from '@contract/target';
import { None } from '../../components/none';
import { useNow } from '../../components/use-now';
import { formatCount, formatRate } from '../../format/number';
import { formatOneUnit } from '../../format/relative';
import classes from './backlog-label.module.css';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/**
 * The number of queued deliveries of a target, the age of the oldest unless that has just been queued, and about how long
 * they take, if that is more than a minute, unless they become more. While the target is blocked or fails, no rate is known.
 */
export function BacklogLabel({ backlog }: { backlog: Target['backlog'] }) {
  const { open, oldest_at, per_minute, growing } = backlog;
  const now = useNow();
  if (open === 0) return <None />;
  const age = oldest_at === null ? 0 : now - new Date(oldest_at).getTime();
  return (
    <span className={classes.backlog}>
      {formatCount(open)} queued
      {age >= SECOND_MS && (
        <>
          {', '}
          <span className={classes.oldest}>oldest {formatOneUnit(age)}</span>
        </>
      )}
      {per_minute !== null && (growing || open > per_minute) && (
        <span className={classes.left}>
          {growing
            ? 'growing; sends only '
            : `≈ ${formatOneUnit((open / per_minute) * MINUTE_MS, Math.round)} at `}
          {formatRate(per_minute)}/min
        </span>
      )}
    </span>
  );
}
