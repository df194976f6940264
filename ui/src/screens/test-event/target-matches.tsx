import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { EventType } from '../../../../src/protocol/event-types';
import { matchesQuery } from '../../api/targets';
import { EmptyNote } from '../../components/empty-note';
import { Panel, PanelText } from '../../components/panel';
import { PendingData } from '../../components/pending-data';
import { formatCount, formatNoun } from '../../format/number';
import { TargetMatch } from './target-match';
import classes from './test-event-screen.module.css';

const DEBOUNCE_MS = 300;
/** With more targets than this, they are searched. */
const MAX_LISTED = 12;

interface TargetMatchesProps {
  type: EventType;
  raw: string;
  /** Whether the event is JSON; if not, no target can be told to receive it. */
  isValid: boolean;
}

/** The targets, those that would receive the event first. */
export function TargetMatches({ type, raw, isValid }: TargetMatchesProps) {
  const [settled] = useDebouncedValue(raw, DEBOUNCE_MS);
  const matches = useQuery({ ...matchesQuery(type, settled), enabled: isValid && settled === raw });
  const [text, setText] = useState('');
  const all = matches.data?.targets ?? [];
  const shown = all
    .filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()))
    .toSorted((one, other) => Number(one.reason !== null) - Number(other.reason !== null));
  const receiving = all.filter(({ reason }) => reason === null).length;
  return (
    <Panel title="Targets" flush>
      {all.length > 0 && (
        <PanelText>
          {isValid
            ? `${formatCount(receiving)} of ${formatNoun(all.length, 'target')} would receive it.`
            : 'Who would receive it is known once the data is JSON.'}
        </PanelText>
      )}
      {all.length > MAX_LISTED && (
        <TextInput
          type="search"
          className={classes.search}
          aria-label="Search targets"
          placeholder={`Search ${all.length} targets`}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      {matches.data?.targets.length === 0 && (
        <EmptyNote title="No targets yet">
          <p>
            <Link to="/targets/new">Add a target</Link> to see whether it would receive the event.
          </p>
        </EmptyNote>
      )}
      {all.length > 0 && shown.length === 0 && <PanelText>No target matches.</PanelText>}
      <ul>
        {shown.map((target) => (
          <TargetMatch key={target.target_id} target={target} type={type} raw={raw} isValid={isValid} />
        ))}
      </ul>
      <PendingData query={matches} rows={3} flush />
    </Panel>
  );
}
