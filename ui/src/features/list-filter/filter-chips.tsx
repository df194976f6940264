import { Button } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './filter-chips.module.css';
import { conditionsOf, describeCondition, toPayload } from './payload-conditions';

export interface Chip<Search> {
  label: string;
  /** The change of the search that removes it. */
  without: Search;
  /** Whether its field shows all of it. */
  isInField?: boolean;
}

interface FilterChipsProps<Search> {
  chips: readonly Chip<Search>[];
  change: (part: Search) => void;
  /** The change that removes all of them. */
  none: Search;
  /** What else can be done with them. */
  children?: ReactNode;
}

/** The active filters, each removable. */
export function FilterChips<Search>({ chips, change, none, children }: FilterChipsProps<Search>) {
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
          <Button size="compact-sm" variant="subtle" onClick={() => change(none)}>
            Clear all
          </Button>
        </li>
      </ul>
      {children}
    </div>
  );
}

/** A chip for each condition on the payload. */
export function payloadChips(payload: string | undefined): Chip<{ payload: string | undefined }>[] {
  const conditions = conditionsOf(payload);
  if (conditions === null) return [{ label: `payload: ${payload}`, without: { payload: undefined } }];
  return conditions.map((condition) => ({
    label: describeCondition(condition),
    without: { payload: toPayload(conditions.filter((other) => other !== condition)) },
  }));
}
