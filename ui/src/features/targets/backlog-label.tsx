import type { Target } from '@contract/target';
import { formatCount } from '../../format/number';
import { formatOneUnit } from '../../format/relative';
import classes from './backlog-label.module.css';
import { useNow } from '../../components/use-now';

/** The number of queued deliveries of a target and the age of the oldest. */
export function BacklogLabel({ backlog: { open, oldest_at } }: { backlog: Target['backlog'] }) {
  const now = useNow();
  if (open === 0) return <span className={classes.none}>no backlog</span>;
  return (
    <span className={classes.backlog}>
      {formatCount(open)} queued
      {oldest_at !== null && (
        <>
          {', '}
          <span className={classes.oldest}>oldest {formatOneUnit(now - new Date(oldest_at).getTime())}</span>
        </>
      )}
    </span>
  );
}
