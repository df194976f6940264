import { Radio } from '@mantine/core';
import classes from './fields.module.css';

interface RadioFieldProps<Choice extends string> {
  label: string;
  description?: string;
  value: Choice;
  choices: Readonly<Record<Choice, { label: string; description: string }>>;
  change: (choice: Choice) => void;
}

/** A radio group with a description of each option. */
export function RadioField<Choice extends string>(props: RadioFieldProps<Choice>) {
  const { label, description, value, choices, change } = props;
  const names = Object.keys(choices).filter((name): name is Choice => name in choices);
  return (
    <Radio.Group
      label={label}
      description={description}
      value={value}
      onChange={(picked) => {
        const choice = names.find((name) => name === picked);
        if (choice !== undefined) change(choice);
      }}
    >
      <div className={classes.choices}>
        {names.map((name) => (
          <Radio
            key={name}
            value={name}
            label={choices[name].label}
            description={choices[name].description}
          />
        ))}
      </div>
    </Radio.Group>
  );
}
