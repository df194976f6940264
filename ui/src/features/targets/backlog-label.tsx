import type { Target } from '@contract/target';
import { None } from '../../components/none';
import { useNow } from '../../components/use-now';
import { formatCount } from '../../format/number';
import { formatOneUnit } from '../../format/relative';
import classes from './backlog-label.module.css';

const SECOND_MS = 1_000;

/** The number of queued deliveries of a target and the age of the oldest, unless that has just been queued. */
export function BacklogLabel({ backlog: { open, oldest_at } }: { backlog: Target['backlog'] }) {
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
    </span>
  );
}
