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
 * they take, if that is more than a minute.
 */
export function BacklogLabel({ backlog: { open, oldest_at, per_minute } }: { backlog: Target['backlog'] }) {
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
      {per_minute !== null && open > per_minute && (
        <span className={classes.left}>{timeToSend(open, per_minute)}</span>
      )}
    </span>
  );
}

/** `≈ 20 h at 13/min` */
const timeToSend = (open: number, perMinute: number) =>
  `≈ ${formatOneUnit((open / perMinute) * MINUTE_MS, Math.round)} at ${formatRate(perMinute)}/min`;
