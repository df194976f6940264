import { NativeSelect } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useId } from 'react';
import { ENDINGS } from '@contract/constants';
import type { DeliveryError } from '@contract/delivery';
import { DebouncedInput } from '../../components/debounced-input';
import { TargetSelect } from '../../features/targets/target-select';
import { TimeRangeControl } from '../../components/time-range/time-range-control';
import { failuresSearch, type FailuresSearch } from '../../search/failures-search';
import { outcomeLabel, statusLabel } from '../../labels/delivery-labels';
import { EVENT_TYPES, typesByResource } from '../../labels/event-types';
import { ERRORS_WITHOUT_RESPONSE } from '../../labels/failure-labels';
import classes from './failures-filter.module.css';

const STATUSES = ['400', '401', '403', '404', '408', '410', '422', '429', '500', '502', '503', '504'];
const TYPE_SUGGESTIONS = [...typesByResource().map(({ resource }) => `${resource}.*`), ...EVENT_TYPES];

/** The filter of the dead letters, which is part of the URL. */
export function FailuresFilter({ filter }: { filter: FailuresSearch }) {
  const navigate = useNavigate({ from: '/failures' });
  const types = useId();
  const set = (change: FailuresSearch) =>
    void navigate({ search: (before) => failuresSearch({ ...before, ...change }), replace: true });
  const { error } = filter;
  const otherStatus = error !== undefined && /^\d+$/.test(error) && !STATUSES.includes(error) ? [error] : [];
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
          { group: 'Ended without another attempt', items: ENDINGS.map(toOption) },
          { group: 'No response', items: ERRORS_WITHOUT_RESPONSE.map(toOption) },
          {
            group: 'HTTP status',
            items: [...otherStatus, ...STATUSES].map((status) => ({
              value: status,
              label: statusLabel(Number(status)),
            })),
          },
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

const toOption = (error: DeliveryError) => ({
  value: error,
  label: outcomeLabel(null, error),
});
