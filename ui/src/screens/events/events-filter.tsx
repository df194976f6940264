import { Button, NativeSelect, TagsInput } from '@mantine/core';
import { IconAdjustmentsHorizontal, IconSearch } from '@tabler/icons-react';
import { useState, type KeyboardEvent, type RefObject } from 'react';
import type { EventSearch } from '../../api/events';
import { DebouncedInput } from '../../components/debounced-input';
import { ConditionMenu } from '../../features/list-filter/condition-menu';
import { conditionsOf, toPayload } from '../../features/list-filter/payload-conditions';
import { TargetSelect } from '../../features/targets/target-select';
import { TimeRangeControl } from '../../components/time-range/time-range-control';
import { toStatus } from '../../search/live-search';
import { EVENT_LABELS } from '../../labels/delivery-labels';
import { TYPE_SUGGESTIONS } from '../../labels/event-types';
import classes from './events-filter.module.css';

const STATUSES = [
  { value: '', label: 'Any status' },
  ...Object.entries(EVENT_LABELS).map(([value, { label }]) => ({ value, label })),
];

interface EventsFilterProps {
  filter: EventSearch;
  change: (part: EventSearch) => void;
  field: RefObject<HTMLInputElement | null>;
  /** Moves to the results of a text. */
  enterResults: (text: string, press: KeyboardEvent) => void;
}

/** The filter of the search. Phones show only the text field until expanded. */
export function EventsFilter({ filter, change, field, enterResults }: EventsFilterProps) {
  const [open, setOpen] = useState(false);
  return (
    <search className={classes.filter} aria-label="Search events">
      <div className={classes.first}>
        <DebouncedInput
          ref={field}
          type="search"
          aria-label="Text in the payload"
          placeholder="Search payloads"
          leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
          maxLength={200}
          className={classes.text}
          value={filter.q ?? ''}
          onCommit={(q) => change({ q })}
          onLeave={enterResults}
        />
        <Button
          className={classes.more}
          aria-expanded={open}
          aria-controls="events-filters"
          leftSection={<IconAdjustmentsHorizontal size={16} stroke={1.6} aria-hidden />}
          onClick={() => setOpen(!open)}
        >
          Filters
        </Button>
      </div>
      <div id="events-filters" className={classes.fields} data-open={open || undefined}>
        <TagsInput
          aria-label="Type"
          placeholder={filter.type === undefined ? 'Any type' : ''}
          data={TYPE_SUGGESTIONS}
          value={filter.type ?? []}
          splitChars={[',', ' ']}
          onChange={(type) => change({ type })}
          withScrollArea={false}
          classNames={{ options: classes.options, pillsList: classes.types }}
          comboboxProps={{ shadow: 'md', portalProps: { target: '#main' } }}
        />
        <DebouncedInput
          aria-label="Entity"
          placeholder="Entity, deal:42"
          maxLength={200}
          value={filter.entity ?? ''}
          onCommit={(entity) => change({ entity: entity.trim() })}
        />
        <NativeSelect
          aria-label="Status"
          data={STATUSES}
          value={filter.status ?? ''}
          onChange={({ currentTarget }) => change({ status: toStatus(currentTarget.value) })}
        />
        <TargetSelect
          label="Target"
          isLabelHidden
          none="Any target"
          value={filter.target}
          onSelect={(target) => change({ target })}
        />
        <TimeRangeControl label="Received" isLabelHidden value={filter} onChange={change} />
        <ConditionMenu
          of="events"
          types={filter.type}
          add={(condition) =>
            change({ payload: toPayload([...(conditionsOf(filter.payload) ?? []), condition]) })
          }
        />
      </div>
    </search>
  );
}
