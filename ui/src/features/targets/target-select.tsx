import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Target } from '@contract/target';
import { targetsQuery } from '../../api/targets';
import { targetLabels } from '../../labels/target-labels';

interface TargetSelectProps {
  label: string;
  /** Label of the option without a target. */
  none: string;
  value: string | undefined;
  onSelect: (id: string | undefined) => void;
}

/** Selects one target, or none. */
export function TargetSelect({ label, none, value, onSelect }: TargetSelectProps) {
  const { data: targets = [] } = useQuery(targetsQuery);
  const options = targets.map((target) => ({ value: target.id, label: describeTarget(target) }));
  const known = value === undefined || targets.some(({ id }) => id === value);
  return (
    <NativeSelect
      label={label}
      value={value ?? ''}
      data={[{ value: '', label: none }, ...options, ...(known ? [] : [{ value, label: value }])]}
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
