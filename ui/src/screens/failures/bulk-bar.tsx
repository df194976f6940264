import { Button } from '@mantine/core';
import { IconRepeat, IconTrash, IconX } from '@tabler/icons-react';
import type { DeadLetterCause } from '@contract/dead-letter';
import { failedUntil, type DeadLetterFilter } from '../../api/dead-letters';
import { GuardedButton } from '../../components/guarded-button';
import { formatCount, formatNoun } from '../../format/number';
import classes from '../../components/bulk-bar.module.css';
import { ONE_AT_A_TIME, type DeadLetterActions } from './use-dead-letter-actions';
import { useGoneTargets } from './use-gone-targets';

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
  const gone = useGoneTargets();
  const total = countOf(causes);
  const blockedLanes = causes.reduce((sum, { stop_lanes: lanes }) => sum + lanes, 0);
  const hasSelection = selected.size > 0;
  const count = hasSelection ? selected.size : total;
  const object = hasSelection ? formatCount(count) : count === 1 ? 'it' : `all ${formatCount(count)}`;
  const selection = hasSelection ? { ids: [...selected.keys()] } : { ...filter, ...failedUntil(causes) };
  const letters = [...selected.values()].filter(({ target_id: target }) => !gone.has(target));
  const retriedCauses = causes.filter(({ target_id: target }) => !gone.has(target));
  const retried = hasSelection ? letters.length : countOf(retriedCauses);
  const first = hasSelection ? letters[0]?.id : retriedCauses[0]?.newest.delivery_id;
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
        variant="subtle"
        color="red"
        leftSection={<IconTrash size={14} aria-hidden />}
        onClick={() => askToDiscard({ count, selection, blockedLanes: hasSelection ? 0 : blockedLanes })}
      >
        Discard {object}
      </GuardedButton>
      <GuardedButton
        leftSection={<IconRepeat size={14} aria-hidden />}
        because={retried === 0 ? 'All their targets are gone: enable them first.' : busy && ONE_AT_A_TIME}
        onClick={() =>
          askToRetry({
            count: retried,
            selection: hasSelection ? { ids: letters.map(({ id }) => id) } : selection,
            targets: uniqueTargets(hasSelection ? letters : retriedCauses),
            first: first ?? '',
          })
        }
      >
        Retry {retried === 0 || retried === count ? object : formatCount(retried)}
      </GuardedButton>
    </section>
  );
}

const countOf = (causes: readonly DeadLetterCause[]) =>
  causes.reduce((sum, { deliveries }) => sum + deliveries, 0);

function uniqueTargets(of: readonly { target_id: string; target_name: string }[]) {
  const names = new Map(of.map(({ target_id: id, target_name: name }) => [id, name]));
  return [...names].map(([id, name]) => ({ id, name }));
}
