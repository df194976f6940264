import { Checkbox, Input, Radio, TagsInput } from '@mantine/core';
import { useId, useState } from 'react';
import { EVENT_TYPES, meaningOf, typesByResource } from '../text/event-types';
import classes from './events-field.module.css';

interface EventsFieldProps {
  value: string[];
  error: string | undefined;
  change: (events: string[]) => void;
}

const ALL = '*';
const known = new Set<string>(EVENT_TYPES);

/** Chooses which events a target takes: all, some of the known types, or patterns for what may come later. */
export function EventsField({ value, error, change }: EventsFieldProps) {
  const id = useId();
  const [some, setSome] = useState(!value.includes(ALL));
  const chosen = value.filter((glob) => known.has(glob));
  const patterns = value.filter((glob) => !known.has(glob) && glob !== ALL);
  const pick = (choice: string) => {
    setSome(choice === 'some');
    change(choice === 'some' ? [...EVENT_TYPES] : [ALL]);
  };
  return (
    <Input.Wrapper
      label="Events"
      labelElement="div"
      labelProps={{ id }}
      description="What it takes. Others pass it by."
      error={error ?? (value.length === 0 ? 'Choose at least one.' : undefined)}
    >
      <Radio.Group value={some ? 'some' : 'all'} onChange={pick} aria-labelledby={id}>
        <div className={classes.choice}>
          <Radio value="all" label="All events, also types that Co-Pilot adds later" />
          <Radio value="some" label="Only these" />
        </div>
      </Radio.Group>
      {some && (
        <>
          <Checkbox.Group
            value={chosen}
            onChange={(types) => change([...types, ...patterns])}
            aria-labelledby={id}
          >
            <div className={classes.groups}>
              {typesByResource().map(({ resource, types }) => (
                <div key={resource} className={classes.group}>
                  {types.map((type) => (
                    <Checkbox
                      key={type}
                      value={type}
                      size="xs"
                      label={<span className={classes.type}>{type}</span>}
                      description={meaningOf(type)}
                    />
                  ))}
                </div>
              ))}
            </div>
          </Checkbox.Group>
          <TagsInput
            label="Patterns"
            description="* stands for any run of characters: deal.* takes every event of deals."
            placeholder={patterns.length === 0 ? 'deal.*' : ''}
            value={patterns}
            splitChars={[',', ' ']}
            onChange={(globs) => change([...chosen, ...globs.filter((glob) => glob !== ALL)])}
          />
        </>
      )}
    </Input.Wrapper>
  );
}
