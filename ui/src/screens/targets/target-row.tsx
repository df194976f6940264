import { Link } from '@tanstack/react-router';
import type { Target } from '@contract/target';
import { BacklogLabel } from '../../features/targets/backlog-label';
import { StateBadge } from '../../components/state-badge';
import { TargetActions } from '../../features/targets/target-actions';
import { TestResult } from '../../features/targets/test-result';
import { TimeAgo, TimeLeft } from '../../components/time-ago';
import { useTargetActions } from '../../features/targets/use-target-actions';
import { describeEvents, reasonOf, targetLabel } from '../../labels/target-labels';
import classes from './target-row.module.css';

/** A target with its state, backlog and actions. */
export function TargetRow({ target }: { target: Target }) {
  const actions = useTargetActions(target);
  return (
    <li className={classes.row}>
      <div className={classes.line}>
        <div className={classes.target}>
          <Link
            to="/targets/$id"
            params={{ id: target.id }}
            className={classes.name}
            data-row
            state={{ cameFrom: '/targets' }}
          >
            {target.name}
          </Link>
          <span className={classes.url} title={target.url}>
            {target.url}
          </span>
        </div>
        <span className={classes.events} title={target.events.join(', ')}>
          {describeEvents(target.events)}
        </span>
        <StateBadge state={targetLabel(target)} />
        <BacklogLabel backlog={target.backlog} />
        <TargetActions target={target} actions={actions} />
      </div>
      {target.disabled !== null && (
        <p className={classes.reason}>
          Disabled <TimeAgo at={target.disabled.at} />: {reasonOf(target.disabled)}
        </p>
      )}
      {target.paused !== null && (
        <p className={classes.reason}>
          {reasonOf(target.paused)} <TimeAgo at={target.paused.at} />
        </p>
      )}
      {target.breaker !== null && (
        <p className={classes.reason}>
          Circuit breaker opened <TimeAgo at={target.breaker.opened_at} />: {reasonOf(target.breaker)}
          {target.paused === null && (
            <>
              ; next probe <TimeLeft at={target.breaker.probe_at} />
            </>
          )}
        </p>
      )}
      <TestResult test={actions.test} />
    </li>
  );
}
