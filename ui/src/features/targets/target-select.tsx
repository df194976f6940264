import { NativeSelect, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Target } from '@contract/target';
import { targetsQuery } from '../../api/targets';
import { matchesText, targetLabels } from '../../labels/target-labels';

interface TargetSelectProps {
  label: string;
  isLabelHidden?: boolean;
  /** Label of the option without a target. */
  none: string;
  value: string | undefined;
  onSelect: (id: string | undefined) => void;
}

/** With more targets than this, they are searched. */
const MAX_LISTED = 12;

/** Selects one target, or none. */
export function TargetSelect({ label, isLabelHidden = false, none, value, onSelect }: TargetSelectProps) {
  const { data: targets = [] } = useQuery(targetsQuery);
  const options = targets.map((target) => ({ value: target.id, label: describeTarget(target) }));
  if (value !== undefined && !targets.some(({ id }) => id === value)) options.push({ value, label: value });
  // Long names are cut while a field is closed.
  const title = options.find((option) => option.value === value)?.label;
  if (options.length > MAX_LISTED)
    return (
      <Select
        {...(isLabelHidden ? { 'aria-label': label } : { label })}
        title={title}
        placeholder={none}
        searchable
        clearable
        value={value ?? null}
        data={options}
        filter={({ search }) => {
          const found = new Set(targets.flatMap((one) => (matchesText(one, search.trim()) ? one.id : [])));
          return options.filter((option) => found.has(option.value));
        }}
        nothingFoundMessage="No target matches"
        onChange={(id) => onSelect(id ?? undefined)}
        withScrollArea={false}
        styles={{ options: { maxHeight: 280, overflowY: 'auto' } }}
        comboboxProps={{
          shadow: 'md',
          width: 'min(360px, 100vw - 32px)',
          position: 'bottom-start',
          portalProps: { target: '#main' },
        }}
      />
    );
  return (
    <NativeSelect
      {...(isLabelHidden ? { 'aria-label': label } : { label })}
      title={title}
      value={value ?? ''}
      data={[{ value: '', label: none }, ...options]}
      onChange={({ currentTarget }) => onSelect(currentTarget.value === '' ? undefined : currentTarget.value)}
    />
  );
}

/** The name, followed by the states unless the target is active. */
function describeTarget(target: Target): string {
  const states = targetLabels(target).filter(({ tone }) => tone !== 'ok');
  return states.length === 0
    ? target.name
    : `${target.name} (${states.map(({ label }) => label).join(', ')})`;
}
