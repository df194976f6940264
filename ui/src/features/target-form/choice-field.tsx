import { Radio } from '@mantine/core';
import classes from './fields.module.css';

interface ChoiceFieldProps<Choice extends string> {
  label: string;
  description?: string;
  value: Choice;
  choices: Readonly<Record<Choice, { label: string; description: string }>>;
  change: (choice: Choice) => void;
}

/** One of a few, each with a sentence on what it means. */
export function ChoiceField<Choice extends string>(props: ChoiceFieldProps<Choice>) {
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
