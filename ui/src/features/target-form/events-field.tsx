import { Checkbox, Input, Radio, TagsInput } from '@mantine/core';
import { useId, useState } from 'react';
import { EVENT_TYPES, typesByResource } from '../../labels/event-types';
import { SYSTEM_EVENTS_PATTERN } from '../../labels/system-events';
import classes from './events-field.module.css';

interface EventsFieldProps {
  value: string[];
  error: string | undefined;
  change: (events: string[]) => void;
}

const ALL = '*';
const known = new Set<string>(EVENT_TYPES);

/** Selects the events of a target: all, known types, or patterns. */
export function EventsField({ value, error, change }: EventsFieldProps) {
  const id = useId();
  const [selecting, setSelecting] = useState(!value.includes(ALL));
  const selected = value.filter((pattern) => known.has(pattern));
  const patterns = value.filter(
    (pattern) => !known.has(pattern) && pattern !== ALL && pattern !== SYSTEM_EVENTS_PATTERN,
  );
  const systemEvents = value.includes(SYSTEM_EVENTS_PATTERN) ? [SYSTEM_EVENTS_PATTERN] : [];
  const switchTo = (choice: string) => {
    setSelecting(choice === 'some');
    // None is preselected: a pattern would only add to them.
    change([...(choice === 'some' ? [] : [ALL]), ...systemEvents]);
  };
  return (
    <Input.Wrapper
      label="Events"
      labelElement="div"
      labelProps={{ id }}
      description="Choose which events this target receives."
      error={error ?? (value.length === 0 ? 'Select at least one.' : undefined)}
    >
      <Radio.Group value={selecting ? 'some' : 'all'} onChange={switchTo} aria-labelledby={id}>
        <div className={classes.choice}>
          <Radio value="all" label="All Co-Pilot events, including types added later" />
          <Radio value="some" label="Selected events" />
        </div>
      </Radio.Group>
      {selecting && (
        <>
          <Checkbox.Group
            value={selected}
            onChange={(types) => change([...types, ...patterns, ...systemEvents])}
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
            onChange={(typed) =>
              change([
                ...new Set([...selected, ...typed.filter((pattern) => pattern !== ALL), ...systemEvents]),
              ])
            }
          />
        </>
      )}
      <Checkbox
        mt="sm"
        checked={systemEvents.length > 0}
        label={
          <>
            Also send Switchboard’s own events (<span className={classes.type}>{SYSTEM_EVENTS_PATTERN}</span>)
          </>
        }
        description="Connection, subscription, silence, downtime and other alerts."
        onChange={({ currentTarget: { checked } }) =>
          change([
            ...value.filter((pattern) => pattern !== SYSTEM_EVENTS_PATTERN),
            ...(checked ? [SYSTEM_EVENTS_PATTERN] : []),
          ])
        }
      />
    </Input.Wrapper>
  );
}
