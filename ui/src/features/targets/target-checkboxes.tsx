import { Checkbox, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { targetsQuery } from '../../api/targets';
import { matchesText } from '../../labels/target-labels';
import { TargetState } from './target-state';
import classes from './target-checkboxes.module.css';

interface TargetCheckboxesProps {
  label: string;
  selected: string[];
  onSelect: (ids: string[]) => void;
}

/** With more targets than this, they are searched. */
const MAX_LISTED = 20;

/** Selects targets; each is shown with its state. */
export function TargetCheckboxes({ label, selected, onSelect }: TargetCheckboxesProps) {
  const { data: targets = [], isPending } = useQuery(targetsQuery);
  const [text, setText] = useState('');
  const found = targets.filter((target) => matchesText(target, text.trim()));
  const isSelected = ({ id }: { id: string }) => selected.includes(id);
  const listed = [...found.filter(isSelected), ...found.filter((target) => !isSelected(target))];
  // Many are listed in a stable order again once the search leaves few.
  const shown = found.length > MAX_LISTED ? listed.slice(0, Math.max(MAX_LISTED, selected.length)) : found;
  return (
    <div className={classes.part}>
      {targets.length > MAX_LISTED && (
        <TextInput
          type="search"
          aria-label="Search targets"
          placeholder={`Search ${targets.length} targets`}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      <Checkbox.Group value={selected} onChange={onSelect} aria-label={label}>
        <div className={classes.targets}>
          {!isPending && found.length === 0 && (
            <p className={classes.none}>{targets.length === 0 ? 'No targets yet.' : 'No target matches.'}</p>
          )}
          {shown.map((target) => (
            <div key={target.id} className={classes.target}>
              <Checkbox value={target.id} label={target.name} />
              <TargetState target={target} />
            </div>
          ))}
          {shown.length < found.length && (
            <p className={classes.none}>{found.length - shown.length} more: search for them.</p>
          )}
        </div>
      </Checkbox.Group>
    </div>
  );
}
