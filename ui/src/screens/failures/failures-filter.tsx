import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useId } from 'react';
import { deadLetterCausesQuery, type DeadLetterFilter } from '../../api/dead-letters';
import { DebouncedInput } from '../../components/debounced-input';
import { TargetSelect } from '../../features/targets/target-select';
import { TimeRangeControl } from '../../components/time-range/time-range-control';
import { failuresSearch, type FailuresSearch } from '../../search/failures-search';
import { EVENT_TYPES, typesByResource } from '../../labels/event-types';
import { describeCause } from '../../labels/failure-labels';
import { formatCount } from '../../format/number';
import classes from './failures-filter.module.css';

const TYPE_SUGGESTIONS = [...typesByResource().map(({ resource }) => `${resource}.*`), ...EVENT_TYPES];

interface FailuresFilterProps {
  filter: FailuresSearch;
  /** The same for the API. */
  resolved: DeadLetterFilter;
  /** Whether the dead letters stay as they are, for a dialog. */
  frozen: boolean;
}

/** The filter of the dead letters, which is part of the URL. */
export function FailuresFilter({ filter, resolved, frozen }: FailuresFilterProps) {
  const navigate = useNavigate({ from: '/failures' });
  const types = useId();
  const set = (change: FailuresSearch) =>
    void navigate({ search: (before) => failuresSearch({ ...before, ...change }), replace: true });
  const { error, ...others } = resolved;
  const { data: causes = [] } = useQuery({ ...deadLetterCausesQuery(others), enabled: !frozen });
  const counts = new Map(error === undefined ? [] : [[error, 0]]);
  for (const cause of causes)
    if (cause.error !== null) counts.set(cause.error, (counts.get(cause.error) ?? 0) + cause.deliveries);
  return (
    <search className={classes.filter} aria-label="Filter dead letters">
      <TargetSelect
        label="Target"
        none="All targets"
        value={filter.target}
        onSelect={(target) => set({ target })}
      />
      <NativeSelect
        label="Error"
        value={error ?? ''}
        data={[
          { value: '', label: 'Any error' },
          ...[...counts]
            .toSorted(([, one], [, other]) => other - one)
            .map(([value, count]) => ({
              value,
              label: `${describeCause(value).sentence} (${formatCount(count)})`,
            })),
        ]}
        onChange={({ currentTarget }) => set({ error: currentTarget.value })}
      />
      <DebouncedInput
        label="Event type"
        placeholder="deal.*"
        list={types}
        value={filter.type ?? ''}
        onCommit={(type) => set({ type })}
      />
      <datalist id={types}>
        {TYPE_SUGGESTIONS.map((type) => (
          <option key={type} value={type}>
            {type}
          </option>
        ))}
      </datalist>
      <TimeRangeControl label="Created" value={filter} onChange={set} />
    </search>
  );
}
