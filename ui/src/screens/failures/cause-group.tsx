import { IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import type { DeadLetterCause } from '@contract/dead-letter';
import { failedUntil, type DeadLetterFilter } from '../../api/dead-letters';
import { targetsQuery } from '../../api/targets';
import { GuardedButton } from '../../components/guarded-button';
import { describeCause } from '../../labels/failure-labels';
import { formatCount, formatNoun } from '../../format/number';
import { CauseEvidence } from './cause-evidence';
import classes from './cause-group.module.css';
import { DeadLetterList } from './dead-letter-list';
import { ONE_AT_A_TIME, type DeadLetterActions } from './use-dead-letter-actions';
import { useGoneTargets, whyNoRetry } from './use-gone-targets';

interface CauseGroupProps {
  cause: DeadLetterCause;
  filter: DeadLetterFilter;
  actions: DeadLetterActions;
  /** Whether a bulk job is running. */
  busy: boolean;
  open: boolean;
  toggle: () => void;
}

const ENABLED_AGAIN = 'The target is enabled again: retry these deliveries.';

/** The dead letters of a target with the same error; expanded, one by one. */
export function CauseGroup({ cause, filter, actions, busy, open, toggle }: CauseGroupProps) {
  const id = useId();
  const { target_id: target, target_name: name, error, deliveries: count, stop_lanes: blockedLanes } = cause;
  const { sentence, advice } = describeCause(error);
  const isGone = useGoneTargets().has(target);
  const { data: targets } = useQuery(targetsQuery);
  const health = targets?.find((one) => one.id === target)?.health;
  const hasAccepted =
    health?.states.includes('active') && (health.last_delivered_at ?? '') > cause.last_failed_at;
  // Deliveries without an attempt have no error to filter by.
  const list = error === null ? null : { ...filter, target, error };
  const selection = list === null ? null : { ...list, ...failedUntil([cause]) };
  const label = `${formatCount(count)} for ${name}: ${sentence}`;
  return (
    <li className={classes.group}>
      <div className={classes.head}>
        <button
          type="button"
          data-row
          className={classes.toggle}
          aria-expanded={open}
          aria-controls={id}
          onClick={toggle}
        >
          <IconChevronRight size={14} aria-hidden className={classes.chevron} />
          <span className={classes.count}>{formatCount(count)}</span>
          <span className={classes.sentence}>
            {sentence} <span className={classes.target}>·&nbsp;{name}</span>
          </span>
        </button>
        {selection !== null && (
          <div className={classes.actions}>
            <GuardedButton
              variant="subtle"
              color="red"
              aria-label={`Discard ${label}`}
              onClick={() => actions.askToDiscard({ count, selection, blockedLanes })}
            >
              Discard {formatCount(count)}
            </GuardedButton>
            <GuardedButton
              because={isGone ? whyNoRetry(name) : busy && ONE_AT_A_TIME}
              aria-label={`Retry ${label}`}
              onClick={() =>
                actions.askToRetry({
                  count,
                  selection,
                  targets: [{ id: target, name }],
                  first: cause.newest.delivery_id,
                })
              }
            >
              Retry {formatCount(count)}
            </GuardedButton>
          </div>
        )}
        <p className={classes.more}>
          {isGone || error !== 'gone' ? advice : ENABLED_AGAIN}
          {hasAccepted && ' It has accepted deliveries since.'}{' '}
          <Order target={target} count={count} blockedLanes={blockedLanes} />{' '}
          <Link to="/targets/$id" params={{ id: target }}>
            View {name}
          </Link>
        </p>
        <CauseEvidence cause={cause} />
      </div>
      <div id={id}>
        {open && <DeadLetterList filter={list ?? { ...filter, target }} cause={cause} actions={actions} />}
      </div>
    </li>
  );
}

interface OrderProps {
  target: string;
  count: number;
  blockedLanes: number;
}

function Order({ target, count, blockedLanes }: OrderProps) {
  const { data: targets } = useQuery(targetsQuery);
  const ordering = targets?.find(({ id }) => id === target)?.policy.ordering ?? 'none';
  if (blockedLanes > 0) {
    const blocks =
      count === 1 ? 'It blocks its lane' : formatNoun(blockedLanes, 'blocks its lane', 'block their lanes');
    return `${blocks}: later deliveries are queued. A retry keeps its position in the lane; a discard lets the lane continue.`;
  }
  return ordering === 'none' ? null : 'This target is ordered; retries are sent out of order.';
}
