import { Button } from '@mantine/core';
import { IconRepeat, IconTrash, IconX } from '@tabler/icons-react';
import type { DeadLetterCause } from '@contract/dead-letter';
import { failedUntil, type DeadLetterFilter } from '../../api/dead-letters';
import { GuardedButton } from '../../components/guarded-button';
import { ActionButton } from '../../components/action-button';
import { formatCount, formatNoun } from '../../format/number';
import classes from '../../components/bulk-bar.module.css';
import type { DeadLetterActions } from './use-dead-letter-actions';

interface BulkBarProps {
  /** All that match. */
  causes: readonly DeadLetterCause[];
  /** Whether a bulk job is running. */
  busy: boolean;
  filter: DeadLetterFilter;
  actions: DeadLetterActions;
}

/** Actions on the selected dead letters, or on all that match. */
export function BulkBar({ causes, busy, filter, actions }: BulkBarProps) {
  const { selected, askToRetry, askToDiscard } = actions;
  const total = causes.reduce((sum, { deliveries }) => sum + deliveries, 0);
  const blockedLanes = causes.reduce((sum, { stop_lanes: lanes }) => sum + lanes, 0);
  const hasSelection = selected.size > 0;
  const count = hasSelection ? selected.size : total;
  const object = hasSelection ? formatCount(count) : count === 1 ? 'it' : `all ${formatCount(count)}`;
  const selection = hasSelection ? { ids: [...selected.keys()] } : { ...filter, ...failedUntil(causes) };
  const letters = [...selected.values()];
  const first = hasSelection ? letters[0]?.id : causes[0]?.newest.delivery_id;
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
      <GuardedButton
        color="red"
        leftSection={<IconTrash size={14} aria-hidden />}
        onClick={() => askToDiscard({ count, selection, blockedLanes: hasSelection ? 0 : blockedLanes })}
      >
        Discard {object}
      </GuardedButton>
      <ActionButton
        leftSection={<IconRepeat size={14} aria-hidden />}
        pending={busy}
        action={() =>
          askToRetry({
            count,
            selection,
            targets: uniqueTargets(hasSelection ? letters : causes),
            first: first ?? '',
          })
        }
      >
        Retry {object}
      </ActionButton>
    </section>
  );
}

function uniqueTargets(of: readonly { target_id: string; target_name: string }[]) {
  const names = new Map(of.map(({ target_id: id, target_name: name }) => [id, name]));
  return [...names].map(([id, name]) => ({ id, name }));
}
