import { Button, TagsInput } from '@mantine/core';
import { IconFilter, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState, type RefObject } from 'react';
import type { EventFilter } from '../../api/events';
import type { HoldReason, TailView } from '../../live/tail-view';
import { formatFilter, STATUS_TERMS, parseFilter } from '../../search/live-search';
import { TYPE_SUGGESTIONS } from '../../labels/event-types';
import { NewerButton } from '../../features/event-list/newer-button';
import { SystemEventsChip } from '../../features/event-list/system-events-chip';
import { formatCount } from '../../format/number';
import classes from './tail-bar.module.css';

interface TailBarProps {
  filter: EventFilter;
  /** What is being typed. */
  typed: string;
  setTyped: (text: string) => void;
  field: RefObject<HTMLInputElement | null>;
  view: TailView;
  paused: boolean;
  togglePause: () => void;
  showNew: () => void;
}

const SUGGESTIONS = [...TYPE_SUGGESTIONS, { group: 'Status', items: [...STATUS_TERMS] }];

const HOLD_LABELS: Record<HoldReason, string> = {
  paused: 'paused',
  scrolled: 'paused while scrolled down',
  selected: 'paused while a row is selected',
  pointed: 'paused while hovering',
};

/** The filter of the live list, the pause button and the number of held rows. */
export function TailBar(props: TailBarProps) {
  const { filter, typed, setTyped, field, view, paused, togglePause, showNew } = props;
  const navigate = useNavigate();
  const show = (next: EventFilter) => void navigate({ to: '/live', search: next, replace: true });
  const terms = formatFilter(filter);
  const [isOpen, setOpen] = useState(false);
  const reason = (['paused', 'scrolled', 'selected', 'pointed'] as const).find((each) =>
    view.holdReasons.has(each),
  );
  return (
    <div className={classes.bar}>
      <TagsInput
        ref={field}
        className={classes.filter}
        aria-label="Filter events"
        placeholder={terms.length === 0 ? 'Filter: deal.*, deal:42, a name …' : ''}
        leftSection={<IconFilter size={16} stroke={1.6} aria-hidden />}
        data={SUGGESTIONS}
        value={terms}
        splitChars={[',', ' ']}
        // What is typed filters already; a click elsewhere must not change the list under the pointer.
        acceptValueOnBlur={false}
        clearable
        clearButtonProps={{ 'aria-label': 'Clear filter' }}
        searchValue={typed}
        onSearchChange={setTyped}
        // The suggestions would cover the list that the new term shows.
        dropdownOpened={isOpen}
        onDropdownOpen={() => setOpen(true)}
        onDropdownClose={() => setOpen(false)}
        onChange={(next) => {
          setOpen(false);
          show({ ...parseFilter(next), system: filter.system });
        }}
        onKeyDown={(press) => {
          if (press.key === 'Escape') press.currentTarget.blur();
        }}
        withScrollArea={false}
        classNames={{ options: classes.options }}
        comboboxProps={{ shadow: 'md', portalProps: { target: '#main' } }}
      />
      <span className={classes.system}>
        <SystemEventsChip
          shown={filter.system === 'shown'}
          onChange={(shown) => show({ ...filter, system: shown ? 'shown' : undefined })}
        />
      </span>
      {reason !== undefined && <span className={classes.reason}>{HOLD_LABELS[reason]}</span>}
      <NewerButton shown={view.newCount > 0} show={showNew}>
        {formatCount(view.newCount)}
        {view.isNewCountMinimum && '+'} new
      </NewerButton>
      <Button
        className={classes.pause}
        aria-pressed={paused}
        leftSection={
          paused ? <IconPlayerPlay size={14} aria-hidden /> : <IconPlayerPause size={14} aria-hidden />
        }
        onClick={togglePause}
      >
        {paused ? 'Resume' : 'Pause'}
      </Button>
    </div>
  );
}
