import { Button, Checkbox, NativeSelect } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { AuditFilter } from '../../api/audit';
import { auditSearch } from '../../search/audit-search';
import { ACTOR_LABELS } from '../../labels/actor-labels';
import { SUBJECT_LABELS } from '../../labels/audit-labels';
import classes from './audit-filters.module.css';

const ANY = '';
const ACTOR_OPTIONS = [
  { value: ANY, label: 'Anyone' },
  ...Object.entries(ACTOR_LABELS).map(([value, label]) => ({ value, label })),
];
const SUBJECT_OPTIONS = [
  { value: ANY, label: 'Anything' },
  ...Object.entries(SUBJECT_LABELS).map(([prefix, label]) => ({ value: `${prefix}.*`, label })),
];
const PERIOD_OPTIONS = [
  { value: ANY, label: 'Any time' },
  { value: 'hour', label: 'Last hour' },
  { value: 'day', label: 'Last 24 hours' },
  { value: 'week', label: 'Last 7 days' },
];

interface AuditFiltersProps {
  filter: AuditFilter;
  narrow: (filter: AuditFilter) => void;
}

/** The filter of the audit log. */
export function AuditFilters({ filter, narrow }: AuditFiltersProps) {
  const change = (part: Record<string, string | undefined>) => narrow(auditSearch({ ...filter, ...part }));
  return (
    <fieldset className={classes.filters} aria-label="Filter the audit log">
      <NativeSelect
        label="Who"
        size="sm"
        data={ACTOR_OPTIONS}
        value={filter.who ?? ANY}
        onChange={({ currentTarget }) => change({ who: currentTarget.value })}
      />
      <NativeSelect
        label="What"
        size="sm"
        data={SUBJECT_OPTIONS}
        value={filter.what ?? ANY}
        onChange={({ currentTarget }) => change({ what: currentTarget.value })}
      />
      <NativeSelect
        label="When"
        size="sm"
        data={PERIOD_OPTIONS}
        value={filter.within ?? ANY}
        onChange={({ currentTarget }) => change({ within: currentTarget.value })}
      />
      <Checkbox
        className={classes.secrets}
        label="Only entries where a secret was shown"
        checked={filter.secrets !== undefined}
        onChange={({ currentTarget }) => change({ secrets: currentTarget.checked ? 'shown' : undefined })}
      />
      {filter.by !== undefined && (
        <Button
          className={classes.by}
          rightSection={<IconX size={14} aria-hidden />}
          aria-label={`Only by ${filter.by}: remove filter`}
          onClick={() => change({ by: undefined })}
        >
          by {filter.by}
        </Button>
      )}
    </fieldset>
  );
}
