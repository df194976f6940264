import { Button } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { EventSearch } from '../../api/events';
import { CopyAs } from '../../features/copy-command/copy-as';
import { listOfEvents } from '../../features/copy-command/requests';
import { useTargetNames } from '../../features/targets/use-target-names';
import { describeTimeRange } from '../../format/time-range';
import { EVENT_LABELS } from '../../labels/delivery-labels';
import classes from './filter-bar.module.css';
import { conditionsOf, describeCondition, toPayload } from './payload-conditions';

interface Chip {
  label: string;
  /** The change of the search that removes it. */
  without: EventSearch;
  /** Whether its field shows all of it. */
  isInField?: boolean;
}

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
  const chips = chipsOf(filter, useTargetNames());
  if (chips.length === 0) return null;
  return (
    <div className={classes.chips}>
      <ul className={classes.chips} aria-label="Active filters">
        {chips.map(({ label, without, isInField }) => (
          <li key={label} data-in-field={isInField}>
            <Button
              size="compact-sm"
              rightSection={<IconX size={12} aria-hidden />}
              aria-label={`Remove filter ${label}`}
              onClick={() => change(without)}
            >
              <bdi className={classes.text}>{label}</bdi>
            </Button>
          </li>
        ))}
        <li>
          <Button size="compact-sm" variant="subtle" onClick={() => change(NONE)}>
            Clear all
          </Button>
        </li>
      </ul>
      <CopyAs lines={() => listOfEvents(filter, Date.now())} />
    </div>
  );
}

function chipsOf(filter: EventSearch, nameOf: (target: string) => string): Chip[] {
  const { type = [], entity, status, target, q, payload } = filter;
  const chips: Chip[] = [];
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
  const conditions = conditionsOf(payload);
  if (conditions === null) chips.push({ label: `payload: ${payload}`, without: { payload: undefined } });
  for (const condition of conditions ?? [])
    chips.push({
      label: describeCondition(condition),
      without: { payload: toPayload((conditions ?? []).filter((other) => other !== condition)) },
    });
  const time = describeTimeRange(filter);
  if (time !== null)
    chips.push({
      label: `received: ${time}`,
      without: { range: undefined, since: undefined, until: undefined },
      isInField: true,
    });
  return chips;
}
