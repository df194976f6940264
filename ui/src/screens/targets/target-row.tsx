import { Checkbox } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Target } from '@contract/target';
import { BacklogLabel } from '../../features/targets/backlog-label';
import { SuccessRate } from '../../features/targets/success-rate';
import { TargetActions } from '../../features/targets/target-actions';
import { TargetCondition } from '../../features/targets/target-condition';
import { TargetState } from '../../features/targets/target-state';
import { TestResult } from '../../features/targets/test-result';
import { TimeAgo } from '../../components/time-ago';
import { useTargetActions } from '../../features/targets/use-target-actions';
import { formatMilliseconds } from '../../format/number';
import { addressOf, describeEvents } from '../../labels/target-labels';
import classes from './target-table.module.css';

interface TargetRowProps {
  target: Target;
  selected: boolean;
  onSelect: (selected: boolean) => void;
}

/** A target with its state, health and actions. */
export function TargetRow({ target, selected, onSelect }: TargetRowProps) {
  const actions = useTargetActions(target);
  const { id, name, filter, health, backlog } = target;
  return (
    <tr className={classes.row}>
      <td>
        <Checkbox
          size="xs"
          aria-label={`Select ${name}`}
          checked={selected}
          onChange={({ currentTarget }) => onSelect(currentTarget.checked)}
        />
      </td>
      <td className={classes.target}>
        <span className={classes.title}>
          <Link
            to="/targets/$id"
            params={{ id }}
            className={classes.name}
            data-row
            state={{ cameFrom: '/targets' }}
          >
            {name}
          </Link>
          {filter !== null && (
            <span className={classes.filter} title={JSON.stringify(filter)}>
              <IconFilter size={14} stroke={1.8} aria-hidden />
              <span className={classes.hidden}>With a filter</span>
            </span>
          )}
        </span>
        <span className={classes.address} title={`${target.events.join(', ')}\n${addressOf(target)}`}>
          {describeEvents(target.events)} · {addressOf(target)}
        </span>
        <p className={classes.condition}>
          <TargetCondition target={target} />
        </p>
        <TestResult test={actions.test} />
      </td>
      <td>
        <TargetState target={target} />
      </td>
      <td data-label="Success (1 h)">
        <SuccessRate health={health} />
      </td>
      <td data-label="Latency (p95)">
        {health.p95_ms === null ? <span className={classes.none}>–</span> : formatMilliseconds(health.p95_ms)}
      </td>
      <td data-label="Backlog">
        <BacklogLabel backlog={backlog} />
      </td>
      <td data-label="Last delivery">
        {health.last_delivered_at === null ? (
          <span className={classes.none}>none</span>
        ) : (
          <TimeAgo at={health.last_delivered_at} />
        )}
      </td>
      <td>
        <TargetActions target={target} actions={actions} />
      </td>
    </tr>
  );
}
