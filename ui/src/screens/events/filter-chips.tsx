import { Button } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { EventSearch } from '../../api/events';
import { useTargetNames } from '../../features/targets/use-target-names';
import { EVENT_LABELS } from '../../labels/delivery-labels';
import { formatExact } from '../../format/exact';
import classes from './filter-chips.module.css';

interface Chip {
  words: string;
  rest: EventSearch;
}

/** What narrows the search, each part removable. */
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
      {chips.map(({ words, rest }) => (
        <li key={words}>
          <Button
            size="compact-sm"
            rightSection={<IconX size={12} aria-hidden />}
            aria-label={`Remove filter ${words}`}
            onClick={() => narrow(rest)}
          >
            <bdi className={classes.words}>{words}</bdi>
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
  if (q !== undefined) chips.push({ words: `text: ${q}`, rest: without('q') });
  for (const one of type)
    chips.push({ words: one, rest: { ...filter, type: type.filter((other) => other !== one) } });
  if (entity !== undefined) chips.push({ words: entity, rest: without('entity') });
  if (status !== undefined)
    chips.push({ words: `status: ${EVENT_LABELS[status].word}`, rest: without('status') });
  if (target !== undefined) chips.push({ words: `target: ${nameOf(target)}`, rest: without('target') });
  if (since !== undefined) chips.push({ words: `from ${toTheSecond(since)}`, rest: without('since') });
  if (until !== undefined) chips.push({ words: `until ${toTheSecond(until)}`, rest: without('until') });
  return chips;
}

const toTheSecond = (at: string) => formatExact(at).slice(0, 19);
