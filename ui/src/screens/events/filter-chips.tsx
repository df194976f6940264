import { Button } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { EventSearch } from '../../api/events';
import { useTargetNames } from '../../features/targets/use-target-names';
import { EVENT_LABELS } from '../../labels/delivery-labels';
import { formatExact } from '../../format/exact';
import classes from './filter-chips.module.css';

interface Chip {
  label: string;
  rest: EventSearch;
}

/** The active filters, each removable. */
export function FilterChips({
  filter,
  narrow,
}: {
  filter: EventSearch;
  narrow: (filter: EventSearch) => void;
}) {
  const chips = chipsOf(filter, useTargetNames());
  if (chips.length === 0) return null;
  return (
    <ul className={classes.chips} aria-label="Active filters">
      {chips.map(({ label, rest }) => (
        <li key={label}>
          <Button
            size="compact-sm"
            rightSection={<IconX size={12} aria-hidden />}
            aria-label={`Remove filter ${label}`}
            onClick={() => narrow(rest)}
          >
            <bdi className={classes.text}>{label}</bdi>
          </Button>
        </li>
      ))}
      <li>
        <Button size="compact-sm" variant="subtle" onClick={() => narrow({})}>
          Clear all
        </Button>
      </li>
    </ul>
  );
}

function chipsOf(filter: EventSearch, nameOf: (target: string) => string): Chip[] {
  const { type = [], entity, status, target, since, until, q } = filter;
  const without = (name: keyof EventSearch) => ({ ...filter, [name]: undefined });
  const chips: Chip[] = [];
  if (q !== undefined) chips.push({ label: `text: ${q}`, rest: without('q') });
  for (const pattern of type)
    chips.push({ label: pattern, rest: { ...filter, type: type.filter((other) => other !== pattern) } });
  if (entity !== undefined) chips.push({ label: entity, rest: without('entity') });
  if (status !== undefined)
    chips.push({ label: `status: ${EVENT_LABELS[status].label}`, rest: without('status') });
  if (target !== undefined) chips.push({ label: `target: ${nameOf(target)}`, rest: without('target') });
  if (since !== undefined) chips.push({ label: `from ${formatToSecond(since)}`, rest: without('since') });
  if (until !== undefined) chips.push({ label: `until ${formatToSecond(until)}`, rest: without('until') });
  return chips;
}

const formatToSecond = (at: string) => formatExact(at).slice(0, 19);
