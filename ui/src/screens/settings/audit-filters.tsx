import { Button, Checkbox, NativeSelect } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { auditSearch, type AuditFilter } from '../../search/audit-search';
import { ACTOR_LABELS, SUBJECT_LABELS } from '../../labels/audit-labels';
import classes from './audit-filters.module.css';

const ANY = '';
const WHO = [
  { value: ANY, label: 'Everybody' },
  ...Object.entries(ACTOR_LABELS).map(([value, label]) => ({ value, label })),
];
const WHAT = [
  { value: ANY, label: 'Everything' },
  ...Object.entries(SUBJECT_LABELS).map(([word, label]) => ({ value: `${word}.*`, label })),
];
const WHEN = [
  { value: ANY, label: 'Any time' },
  { value: 'hour', label: 'The last hour' },
  { value: 'day', label: 'The last day' },
  { value: 'week', label: 'The last week' },
];

interface AuditFiltersProps {
  filter: AuditFilter;
  narrow: (filter: AuditFilter) => void;
}

/** What of the audit log is shown. */
export function AuditFilters({ filter, narrow }: AuditFiltersProps) {
  const change = (part: Record<string, string | undefined>) => narrow(auditSearch({ ...filter, ...part }));
  return (
    <fieldset className={classes.filters} aria-label="Narrow the audit log">
      <NativeSelect
        label="Who"
        size="sm"
        data={WHO}
        value={filter.who ?? ANY}
        onChange={({ currentTarget }) => change({ who: currentTarget.value })}
      />
      <NativeSelect
        label="What"
        size="sm"
        data={WHAT}
        value={filter.what ?? ANY}
        onChange={({ currentTarget }) => change({ what: currentTarget.value })}
      />
      <NativeSelect
        label="When"
        size="sm"
        data={WHEN}
        value={filter.within ?? ANY}
        onChange={({ currentTarget }) => change({ within: currentTarget.value })}
      />
      <Checkbox
        className={classes.secrets}
        label="Only where a secret was shown"
        checked={filter.secrets !== undefined}
        onChange={({ currentTarget }) => change({ secrets: currentTarget.checked ? 'shown' : undefined })}
      />
      {filter.by !== undefined && (
        <Button
          className={classes.by}
          rightSection={<IconX size={14} aria-hidden />}
          aria-label={`By ${filter.by} only: show everybody again`}
          onClick={() => change({ by: undefined })}
        >
          by {filter.by}
        </Button>
      )}
    </fieldset>
  );
}
