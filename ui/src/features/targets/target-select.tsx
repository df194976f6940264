import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { targetsQuery } from '../../api/targets';

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
  const options = targets.map(({ id, name }) => ({ value: id, label: name }));
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
