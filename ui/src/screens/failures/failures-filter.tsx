import { NativeSelect } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useId } from 'react';
import type { DeadLetterFilter } from '../../api/dead-letters';
import { DebouncedInput } from '../../components/debounced-input';
import { TargetSelect } from '../../features/targets/target-select';
import { TimeField } from '../../components/time-field';
import { failuresSearch } from '../../search/failures-search';
import { outcomeLabel } from '../../labels/delivery-labels';
import { EVENT_TYPES, typesByResource } from '../../labels/event-types';
import { ENDINGS, ERRORS_WITHOUT_ANSWER } from '../../labels/failure-labels';
import classes from './failures-filter.module.css';

const STATUSES = ['400', '401', '403', '404', '408', '410', '422', '429', '500', '502', '503', '504'];
const SUGGESTED = [...typesByResource().map(({ resource }) => `${resource}.*`), ...EVENT_TYPES];

/** Narrows the dead letters; what is chosen stands in the address. */
export function FailuresFilter({ filter }: { filter: DeadLetterFilter }) {
  const navigate = useNavigate({ from: '/failures' });
  const types = useId();
  const set = (change: DeadLetterFilter) =>
    void navigate({ search: (before) => failuresSearch({ ...before, ...change }), replace: true });
  const { error } = filter;
  const answered = error !== undefined && /^\d+$/.test(error) && !STATUSES.includes(error) ? [error] : [];
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
          { group: 'No response', items: ERRORS_WITHOUT_ANSWER.map(toOption) },
          { group: 'HTTP status', items: [...answered, ...STATUSES] },
        ]}
        onChange={({ currentTarget }) => set({ error: currentTarget.value })}
      />
      <DebouncedInput
        label="Event type"
        placeholder="deal.*"
        className={classes.wide}
        list={types}
        value={filter.type ?? ''}
        onSettle={(type) => set({ type })}
      />
      <datalist id={types}>
        {SUGGESTED.map((type) => (
          <option key={type} value={type}>
            {type}
          </option>
        ))}
      </datalist>
      <TimeField label="Created after" value={filter.since} onSettle={(since) => set({ since })} />
      <TimeField label="Created before" value={filter.until} onSettle={(until) => set({ until })} />
    </search>
  );
}

const toOption = (error: (typeof ERRORS_WITHOUT_ANSWER)[number]) => ({
  value: error,
  label: outcomeLabel(null, error),
});
