import type { EventSearch } from '../../api/events';
import { CopyAs } from '../../features/copy-command/copy-as';
import { listOfEvents } from '../../features/copy-command/requests';
import { FilterChips, payloadChips, type Chip } from '../../features/list-filter/filter-chips';
import { useTargetNames } from '../../features/targets/use-target-names';
import { describeTimeRange } from '../../format/time-range';
import { EVENT_LABELS } from '../../labels/delivery-labels';

interface FilterBarProps {
  filter: EventSearch;
  change: (part: EventSearch) => void;
}

const NONE: EventSearch = {
  q: undefined,
  type: undefined,
  entity: undefined,
  status: undefined,
  target: undefined,
  payload: undefined,
  range: undefined,
  since: undefined,
  until: undefined,
};

/** The active filters, each removable. */
export function FilterBar({ filter, change }: FilterBarProps) {
  return (
    <FilterChips chips={chipsOf(filter, useTargetNames())} change={change} none={NONE}>
      <CopyAs lines={() => listOfEvents(filter, Date.now())} />
    </FilterChips>
  );
}

function chipsOf(filter: EventSearch, nameOf: (target: string) => string): Chip<EventSearch>[] {
  const { type = [], entity, status, target, q, payload } = filter;
  const chips: Chip<EventSearch>[] = [];
  if (q !== undefined) chips.push({ label: `text: ${q}`, without: { q: undefined } });
  for (const pattern of type)
    chips.push({ label: pattern, without: { type: type.filter((other) => other !== pattern) } });
  if (entity !== undefined) chips.push({ label: entity, without: { entity: undefined } });
  if (status !== undefined)
    chips.push({
      label: `status: ${EVENT_LABELS[status].label}`,
      without: { status: undefined },
      isInField: true,
    });
  if (target !== undefined)
    chips.push({ label: `target: ${nameOf(target)}`, without: { target: undefined }, isInField: true });
  chips.push(...payloadChips(payload));
  const time = describeTimeRange(filter);
  if (time !== null)
    chips.push({
      label: `received: ${time}`,
      without: { range: undefined, since: undefined, until: undefined },
      isInField: true,
    });
  return chips;
}
