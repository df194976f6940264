import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { TargetDeliveryFilter } from '../../api/deliveries';
import { targetSearch } from '../../search/target-search';
import { DELIVERY_LABELS, errorLabel } from '../../labels/delivery-labels';
import classes from './latest-deliveries.module.css';

const STATUSES = [
  { value: '', label: 'Any status' },
  ...Object.entries({ ...DELIVERY_LABELS, waiting: { label: 'Queued behind another' } }).map(
    ([value, { label }]) => ({ value, label }),
  ),
];

/** The filter of the deliveries of a target, which is part of the URL. */
export function DeliveryFilterBar({ target, filter }: { target: string; filter: TargetDeliveryFilter }) {
  const navigate = useNavigate();
  const [type, setType] = useState(filter.type ?? '');
  const narrow = (part: Record<string, string>) =>
    void navigate({
      to: '/targets/$id',
      params: { id: target },
      search: (before) => targetSearch({ ...before, ...part }),
      replace: true,
      resetScroll: false,
    });
  return (
    <search aria-label="Deliveries">
      <form
        className={classes.filter}
        onSubmit={(event) => {
          event.preventDefault();
          narrow({ type });
        }}
      >
        <NativeSelect
          aria-label="Status"
          data={STATUSES}
          value={filter.status ?? ''}
          onChange={({ currentTarget }) => narrow({ status: currentTarget.value })}
        />
        <TextInput
          aria-label="Event type"
          placeholder="Type: deal.*"
          value={type}
          onChange={({ currentTarget }) => setType(currentTarget.value)}
          onBlur={() => {
            if (type.trim() !== (filter.type ?? '')) narrow({ type });
          }}
          autoComplete="off"
          spellCheck={false}
        />
        {filter.error !== undefined && (
          <Button
            onClick={() => narrow({ error: '' })}
            aria-label={`Filtered by error: ${describeError(filter.error)}. Show all`}
          >
            {describeError(filter.error)} ×
          </Button>
        )}
      </form>
    </search>
  );
}

const describeError = (error: string) => (/^\d+$/.test(error) ? `HTTP ${error}` : errorLabel(error));
