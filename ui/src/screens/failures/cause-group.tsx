import { IconChevronRight } from '@tabler/icons-react';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import type { DeathCause } from '../../../../src/contract/dead-letter';
import type { DeadLetterFilter } from '../../api/dead-letters';
import { targetsQuery } from '../../api/targets';
import { ActionButton } from '../../components/action-button';
import { TimeAgo } from '../../components/time-ago';
import { describeCause } from '../../labels/failure-labels';
import { formatCount, formatNoun } from '../../format/number';
import classes from './cause-group.module.css';
import { DeadLetterList } from './dead-letter-list';
import type { DeadLetterActions } from './use-dead-letter-actions';

interface CauseGroupProps {
  cause: DeathCause;
  filter: DeadLetterFilter;
  actions: DeadLetterActions;
  openAtFirst: boolean;
}

/** Dead letters of one target that ended alike: why, what to do about it, and unfolded one by one. */
export function CauseGroup({ cause, filter, actions, openAtFirst }: CauseGroupProps) {
  const id = useId();
  const [open, setOpen] = useState(openAtFirst);
  const { target_id: target, target_name: name, error, deliveries: count, stop_lanes: stopLanes } = cause;
  const { sentence, advice } = describeCause(error);
  // Those that never were attempted have nothing in common that a filter could name.
  const same = error === null ? null : { ...filter, target, error };
  const what = `${formatCount(count)} for ${name}: ${sentence}`;
  return (
    <li className={classes.group}>
      <div className={classes.head}>
        <button
          type="button"
          data-row
          className={classes.toggle}
          aria-expanded={open}
          aria-controls={id}
          onClick={() => setOpen(!open)}
        >
          <IconChevronRight size={14} aria-hidden className={classes.chevron} />
          <span className={classes.count}>{formatCount(count)}</span>
          <span className={classes.sentence}>
            {sentence} <span className={classes.target}>·&nbsp;{name}</span>
          </span>
        </button>
        {same !== null && (
          <div className={classes.actions}>
            <Button
              color="red"
              aria-label={`Discard ${what}`}
              onClick={() => actions.askToDiscard({ count, selection: same, stopLanes })}
            >
              Discard {formatCount(count)}
            </Button>
            <ActionButton
              pending={actions.retryMany.isPending && actions.retryMany.variables === same}
              aria-label={`Retry ${what}`}
              action={() => actions.retryMany.mutate(same)}
            >
              Retry {formatCount(count)}
            </ActionButton>
          </div>
        )}
        <div className={classes.more}>
          <span>{advice}</span>
          <Link to="/targets/$id" params={{ id: target }}>
            View {name}
          </Link>
          <span>
            oldest <TimeAgo at={cause.oldest_at} />, newest <TimeAgo at={cause.newest_at} />
          </span>
          <Order target={target} stopLanes={stopLanes} />
        </div>
      </div>
      <div id={id}>
        {open && <DeadLetterList filter={same ?? { ...filter, target }} cause={cause} actions={actions} />}
      </div>
    </li>
  );
}

function Order({ target, stopLanes }: { target: string; stopLanes: number }) {
  const { data: targets } = useQuery(targetsQuery);
  const ordering = targets?.find(({ id }) => id === target)?.policy.ordering ?? 'none';
  if (stopLanes > 0) {
    return (
      <span>
        {formatNoun(stopLanes, 'blocks its lane', 'block their lanes')}: later deliveries are queued. A retry
        keeps its position in the lane; a discard lets the lane continue.
      </span>
    );
  }
  if (ordering === 'none') return null;
  return <span>This target is ordered; retries are sent out of order.</span>;
}
