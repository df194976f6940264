import { Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { targetsQuery } from '../../api/targets';
import { TargetState } from './target-state';
import classes from './target-checkboxes.module.css';

interface TargetCheckboxesProps {
  label: string;
  selected: string[];
  onSelect: (ids: string[]) => void;
  disabled?: boolean;
}

/** Selects targets; each is shown with its state. */
export function TargetCheckboxes({ label, selected, onSelect, disabled = false }: TargetCheckboxesProps) {
  const { data: targets } = useQuery(targetsQuery);
  return (
    <Checkbox.Group value={selected} onChange={onSelect} aria-label={label} disabled={disabled}>
      <div className={classes.targets}>
        {targets?.length === 0 && <p className={classes.none}>No targets yet.</p>}
        {targets?.map((target) => (
          <div key={target.id} className={classes.target}>
            <Checkbox value={target.id} label={target.name} disabled={disabled} />
            <TargetState target={target} />
          </div>
        ))}
      </div>
    </Checkbox.Group>
  );
}
