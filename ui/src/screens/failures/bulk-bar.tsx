import { Button } from '@mantine/core';
import { IconHistory, IconRepeat, IconTrash, IconX } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { DeadLetterFilter } from '../../api/dead-letters';
import { ActionButton } from '../../components/action-button';
import { formatCount, formatNoun } from '../../format/number';
import classes from './bulk-bar.module.css';
import type { DeadLetterActions } from './use-dead-letter-actions';

interface BulkBarProps {
  total: number;
  /** How many of all that match stop their lane. */
  stopLanes: number;
  filter: DeadLetterFilter;
  actions: DeadLetterActions;
}

/** What can be done with all that match, or with those that are chosen. */
export function BulkBar({ total, stopLanes, filter, actions }: BulkBarProps) {
  const { chosen, retryMany, askToDiscard } = actions;
  const some = chosen.size > 0;
  const count = some ? chosen.size : total;
  const which = some ? formatCount(count) : count === 1 ? 'it' : `all ${formatCount(count)}`;
  const selection = some ? { ids: [...chosen] } : filter;
  return (
    <section className={classes.bar} aria-label="Bulk actions">
      <output className={classes.count}>
        {some ? `${formatCount(count)} selected` : formatNoun(count, 'dead letter')}
      </output>
      {some && (
        <Button variant="subtle" leftSection={<IconX size={14} aria-hidden />} onClick={actions.selectNone}>
          Clear selection
        </Button>
      )}
      {!some && <ReplayLink filter={filter} />}
      <Button
        color="red"
        leftSection={<IconTrash size={14} aria-hidden />}
        onClick={() => askToDiscard({ count, selection, stopLanes: some ? 0 : stopLanes })}
      >
        Discard {which}
      </Button>
      <ActionButton
        variant="filled"
        leftSection={<IconRepeat size={14} aria-hidden />}
        pending={retryMany.isPending}
        action={() => retryMany.mutate(selection)}
      >
        Retry {which}
      </ActionButton>
    </section>
  );
}

/** A replay chooses by event, and can be held to a pace or sent elsewhere. */
function ReplayLink({ filter: { target, type, since, until } }: { filter: DeadLetterFilter }) {
  const search = {
    target,
    since,
    until,
    outcome: ['dead' as const],
    ...(type !== undefined && { type: [type] }),
  };
  return (
    <Button
      leftSection={<IconHistory size={14} aria-hidden />}
      title="At a chosen speed, or to other targets"
      renderRoot={(props) => <Link to="/replays/new" search={search} {...props} />}
    >
      Replay these
    </Button>
  );
}
