import { Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { targetsQuery } from '../../api/targets';
import { targetLabel } from '../../labels/target-labels';
import { StateBadge } from '../../components/state-badge';
import classes from './target-choice.module.css';

interface TargetChoiceProps {
  label: string;
  selected: string[];
  onSelect: (ids: string[]) => void;
  disabled?: boolean;
}

/** Some of the targets, with how each stands. */
export function TargetChoice({ label, selected, onSelect, disabled = false }: TargetChoiceProps) {
  const { data: targets } = useQuery(targetsQuery);
  return (
    <Checkbox.Group value={selected} onChange={onSelect} aria-label={label} disabled={disabled}>
      <div className={classes.targets}>
        {targets?.length === 0 && <p className={classes.none}>No targets yet.</p>}
        {targets?.map((target) => (
          <div key={target.id} className={classes.target}>
            <Checkbox value={target.id} label={target.name} disabled={disabled} />
            <StateBadge state={targetLabel(target)} />
          </div>
        ))}
      </div>
    </Checkbox.Group>
  );
}
