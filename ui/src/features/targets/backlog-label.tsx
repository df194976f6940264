import type { Target } from '../../../../src/contract/target';
import { formatCount } from '../../format/number';
import { formatSpan } from '../../format/relative';
import classes from './backlog-label.module.css';
import { useNow } from '../../components/use-now';

/** How much is on its way to a target, and since when. */
export function BacklogLabel({ backlog: { open, oldest_at } }: { backlog: Target['backlog'] }) {
  const now = useNow();
  if (open === 0) return <span className={classes.none}>No backlog</span>;
  return (
    <span className={classes.backlog}>
      {formatCount(open)} queued
      {oldest_at !== null && (
        <span className={classes.none}>, oldest {formatSpan(now - new Date(oldest_at).getTime())}</span>
      )}
    </span>
  );
}
