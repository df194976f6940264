import { useId } from 'react';
import classes from './choice.module.css';

interface ChoiceProps<Value extends string> {
  label: string;
  options: readonly (readonly [value: Value, name: string])[];
  value: Value;
  choose: (value: Value) => void;
}

/** Radio buttons side by side, for a choice that takes effect at once. */
export function Choice<Value extends string>({ label, options, value, choose }: ChoiceProps<Value>) {
  const group = useId();
  return (
    <fieldset className={classes.choice} data-choice={label}>
      <legend className={classes.label}>{label}</legend>
      <div className={classes.options}>
        {options.map(([option, name]) => (
          <label key={option} className={classes.option}>
            <input type="radio" name={group} checked={option === value} onChange={() => choose(option)} />
            {name}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
