import { Checkbox, Input, Radio, TagsInput } from '@mantine/core';
import { useId, useState } from 'react';
import { EVENT_TYPES, describeEventType, typesByResource } from '../../labels/event-types';
import { SYSTEM_EVENTS_PATTERN } from '../../labels/system-events';
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
  const patterns = value.filter((glob) => !known.has(glob) && glob !== ALL && glob !== SYSTEM_EVENTS_PATTERN);
  const own = value.includes(SYSTEM_EVENTS_PATTERN) ? [SYSTEM_EVENTS_PATTERN] : [];
  const pick = (choice: string) => {
    setSome(choice === 'some');
    change([...(choice === 'some' ? EVENT_TYPES : [ALL]), ...own]);
  };
  return (
    <Input.Wrapper
      label="Events"
      labelElement="div"
      labelProps={{ id }}
      description="Choose which events this target receives."
      error={error ?? (value.length === 0 ? 'Select at least one.' : undefined)}
    >
      <Radio.Group value={some ? 'some' : 'all'} onChange={pick} aria-labelledby={id}>
        <div className={classes.choice}>
          <Radio value="all" label="All Co-Pilot events, including types added later" />
          <Radio value="some" label="Selected events" />
        </div>
      </Radio.Group>
      {some && (
        <>
          <Checkbox.Group
            value={chosen}
            onChange={(types) => change([...types, ...patterns, ...own])}
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
                      description={describeEventType(type)}
                    />
                  ))}
                </div>
              ))}
            </div>
          </Checkbox.Group>
          <TagsInput
            label="Patterns"
            description="* matches any characters: deal.* matches all deal events."
            placeholder={patterns.length === 0 ? 'deal.*' : ''}
            value={patterns}
            splitChars={[',', ' ']}
            onChange={(globs) =>
              change([...new Set([...chosen, ...globs.filter((glob) => glob !== ALL), ...own])])
            }
          />
        </>
      )}
      <Checkbox
        mt="sm"
        checked={own.length > 0}
        label={
          <>
            Also system events, <span className={classes.type}>{SYSTEM_EVENTS_PATTERN}</span>
          </>
        }
        description={
          <>
            Switchboard’s own status: connection, subscription, silence, downtime.{' '}
            <span className={classes.type}>{ALL}</span> matches Co-Pilot’s events only, not these.
          </>
        }
        onChange={({ currentTarget: { checked } }) =>
          change([
            ...value.filter((glob) => glob !== SYSTEM_EVENTS_PATTERN),
            ...(checked ? [SYSTEM_EVENTS_PATTERN] : []),
          ])
        }
      />
    </Input.Wrapper>
  );
}
