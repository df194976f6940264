import { VisuallyHidden } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Target } from '@contract/target';
import type { HealthState } from '@contract/target-health';
import { None } from '../../components/none';
import { BacklogLabel } from '../../features/targets/backlog-label';
import { Latency } from '../../features/targets/latency';
import { SuccessRate } from '../../features/targets/success-rate';
import { TargetActions } from '../../features/targets/target-actions';
import { TargetCondition } from '../../features/targets/target-condition';
import { TargetState } from '../../features/targets/target-state';
import { TestResult } from '../../features/targets/test-result';
import { TimeAgo } from '../../components/time-ago';
import { useTargetActions } from '../../features/targets/use-target-actions';
import { formatNoun } from '../../format/number';
import { addressOf, describeEvents } from '../../labels/target-labels';
import { SelectBox } from '../../components/select-box';
import classes from './target-table.module.css';

/** The states of which the row says more than their name. */
const EXPLAINED: ReadonlySet<HealthState> = new Set(['paused', 'offline', 'down', 'blocked', 'failing']);

interface TargetRowProps {
  target: Target;
  selected: boolean;
  onSelect: (selected: boolean) => void;
}

/** A target with its state and health in one line; its buttons are made once it is pointed at or selected. */
export function TargetRow({ target, selected, onSelect }: TargetRowProps) {
  const actions = useTargetActions(target);
  const [reached, setReached] = useState(false);
  const { id, name, filter, health, backlog } = target;
  const isExplained = target.disabled !== null || health.states.some((state) => EXPLAINED.has(state));
  return (
    <tr
      className={classes.row}
      data-selected={selected || undefined}
      onPointerEnter={() => setReached(true)}
      onFocus={() => setReached(true)}
    >
      <td>
        <SelectBox label={`Select ${name}`} checked={selected} onChange={onSelect} />
      </td>
      <td className={classes.target}>
        <div className={classes.line}>
          <Link
            to="/targets/$id"
            params={{ id }}
            className={classes.name}
            data-row
            title={`${name}\n${target.events.join(', ')}\n${addressOf(target)}`}
            state={{ cameFrom: '/targets' }}
          >
            {name}
          </Link>
          {filter !== null && (
            <span className={classes.filter} title={JSON.stringify(filter)}>
              <IconFilter size={14} stroke={1.8} aria-hidden />
              <VisuallyHidden component="span">With a filter</VisuallyHidden>
            </span>
          )}
          <span className={classes.detail}>
            {isExplained ? (
              <TargetCondition target={target} />
            ) : (
              `${describeEvents(target.events)} · ${addressOf(target)}`
            )}
          </span>
        </div>
        <TestResult test={actions.test} />
      </td>
      <td>
        <TargetState target={target} />
      </td>
      <td data-label="Success (1 h)">
        <SuccessRate health={health} />
      </td>
      <td data-label="Latency (p95)">
        <Latency health={health} />
      </td>
      <td data-label="Backlog" data-none={backlog.open + backlog.dead === 0 || undefined}>
        {(backlog.open > 0 || backlog.dead === 0) && <BacklogLabel backlog={backlog} />}
        {backlog.dead > 0 && (
          <Link to="/failures" search={{ target: id }} className={classes.dead}>
            {formatNoun(backlog.dead, 'dead letter')}
          </Link>
        )}
      </td>
      <td data-label="Last delivery">
        {health.last_delivered_at === null ? <None /> : <TimeAgo at={health.last_delivered_at} />}
      </td>
      <td className={classes.last}>
        {(reached || selected) && (
          <div className={classes.actions}>
            <TargetActions target={target} actions={actions} />
          </div>
        )}
      </td>
    </tr>
  );
}
