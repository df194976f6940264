import { Button } from '@mantine/core';
import { IconHistory, IconRepeat, IconTrash, IconX } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { DeadLetterFilter } from '../../api/dead-letters';
import { GuardedButton } from '../../components/guarded-button';
import { ActionButton } from '../../components/action-button';
import { formatCount, formatNoun } from '../../format/number';
import classes from './bulk-bar.module.css';
import type { DeadLetterActions } from './use-dead-letter-actions';

interface BulkBarProps {
  total: number;
  /** How many of the matching dead letters block their lane. */
  blockedLanes: number;
  filter: DeadLetterFilter;
  actions: DeadLetterActions;
}

/** Actions on the selected dead letters, or on all that match. */
export function BulkBar({ total, blockedLanes, filter, actions }: BulkBarProps) {
  const { selected, retryMany, askToDiscard } = actions;
  const hasSelection = selected.size > 0;
  const count = hasSelection ? selected.size : total;
  const object = hasSelection ? formatCount(count) : count === 1 ? 'it' : `all ${formatCount(count)}`;
  const selection = hasSelection ? { ids: [...selected] } : filter;
  return (
    <section className={classes.bar} aria-label="Bulk actions">
      <output className={classes.count}>
        {hasSelection ? `${formatCount(count)} selected` : formatNoun(count, 'dead letter')}
      </output>
      {hasSelection && (
        <Button variant="subtle" leftSection={<IconX size={14} aria-hidden />} onClick={actions.selectNone}>
          Clear selection
        </Button>
      )}
      {!hasSelection && <ReplayLink filter={filter} />}
      <GuardedButton
        color="red"
        leftSection={<IconTrash size={14} aria-hidden />}
        onClick={() => askToDiscard({ count, selection, blockedLanes: hasSelection ? 0 : blockedLanes })}
      >
        Discard {object}
      </GuardedButton>
      <ActionButton
        variant="filled"
        leftSection={<IconRepeat size={14} aria-hidden />}
        pending={retryMany.isPending}
        action={() => retryMany.mutate(selection)}
      >
        Retry {object}
      </ActionButton>
    </section>
  );
}

/** A replay can be limited in speed or sent to other targets. */
function ReplayLink({ filter: { target, type, since, until } }: { filter: DeadLetterFilter }) {
  const search = {
    target,
    since,
    until,
    outcome: ['dead' as const],
    ...(type !== undefined && { type: [type] }),
  };
  return (
    <GuardedButton
      leftSection={<IconHistory size={14} aria-hidden />}
      title="At a chosen speed, or to other targets"
      renderRoot={(props) => <Link to="/replays/new" search={search} {...props} />}
    >
      Replay these
    </GuardedButton>
  );
}
