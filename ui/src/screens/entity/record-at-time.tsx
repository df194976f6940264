import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { EventSummary } from '@contract/event';
import { entityQuery } from '../../api/entities';
import { entityTimelineQuery } from '../../api/entity-history';
import { eventBodyQuery } from '../../api/events';
import { Column, Columns } from '../../components/columns';
import { LoadingRows } from '../../components/loading-rows';
import { Panel } from '../../components/panel';
import { Difference } from '../../features/entity-history/difference';
import { PayloadTree } from '../../features/payload-tree/payload-tree';
import { formatExact } from '../../format/exact';
import { formatCount } from '../../format/number';
import { compareNotifications } from '../../payload/compare-notifications';
import { isSame, type Json } from '../../payload/json';
import { readPayload } from '../../payload/payload';
import classes from './record-at-time.module.css';

/** The record as it was at a chosen time, and what changed since another time. */
export function RecordAtTime({ entity }: { entity: string }) {
  const { data: events = [] } = useQuery(entityTimelineQuery(entity));
  // By id: newer events may be added while the screen is open.
  const [chosen, setChosen] = useState<string | null>(null);
  const [base, setBase] = useState<string | null>(null);
  const placeOf = (id: string | null) => events.findIndex((event) => event.id === id);
  const last = events.length - 1;
  const opening = useNewestChange(events);
  const at = placeOf(chosen) === -1 ? opening : placeOf(chosen);
  const from = placeOf(base) === -1 ? Math.max(0, at - 1) : placeOf(base);
  const event = events[at];
  const record = useRecordOf(event);
  const { data: now } = useQuery(entityQuery(entity));
  const isLoading = record === undefined || now === undefined;
  // Until that is known, as it most often is, so that nothing moves.
  const isNow = isLoading
    ? at === last
    : record !== null && now.record !== undefined && isSame(record, now.record);
  const title = `The record of event ${formatCount(at + 1)} of ${formatCount(events.length)}`;
  const [earlier, later] = [events[Math.min(at, from)], events[Math.max(at, from)]];
  // The state now is the record of the only event.
  if (event === undefined || earlier === undefined || later === undefined || last === 0) return null;
  return (
    <Panel title="Record at any time">
      <Columns shares={[1, 1]}>
        <div className={isNow ? classes.alone : undefined}>
          <Column>
            <div className={classes.times}>
              <TimeSlider label="As of" events={events} at={at} choose={setChosen} />
              <TimeSlider label="Compared with" events={events} at={from} choose={setBase} />
            </div>
            {isNow && (
              <p className={classes.muted}>
                {isLoading ? 'Loading…' : `${title} is the current state, shown above.`}
              </p>
            )}
            <h3>
              {earlier === later
                ? 'Changes'
                : `Changes from event ${formatCount(Math.min(at, from) + 1)} to ${formatCount(Math.max(at, from) + 1)}`}
            </h3>
            {earlier === later ? (
              <p className={classes.muted}>
                {base === null ? 'This is the first stored event.' : 'Both times are the same.'}
              </p>
            ) : (
              <Difference key={`${earlier.id} ${later.id}`} event={later} previous={earlier} />
            )}
          </Column>
        </div>
        {!isNow && (
          <Column>
            <h3>{title}</h3>
            {record === undefined && <LoadingRows />}
            {record === null && <p className={classes.muted}>The payload is not JSON.</p>}
            {record && (
              <div className={classes.record}>
                <PayloadTree key={event.id} json={record} />
              </div>
            )}
          </Column>
        )}
      </Columns>
    </Panel>
  );
}

/** How many of the newest events are looked through, and how large they may be. */
const SEARCHED_EVENTS = 6;
const SEARCHED_BYTES = 20_000;

const dataOf = <Data,>(results: readonly { data: Data }[]) => results.map(({ data }) => data);

/** The place of the newest event that changed something, if it is among the last few; otherwise of the last event. */
function useNewestChange(events: readonly EventSummary[]): number {
  const start = Math.max(0, events.length - SEARCHED_EVENTS);
  const searched = events.slice(start);
  const areSmall = searched.every(({ size_bytes: size }) => size <= SEARCHED_BYTES);
  const bodies = useQueries({
    queries: searched.map(({ id }) => ({ ...eventBodyQuery(id), enabled: areSmall })),
    combine: dataOf,
  });
  return useMemo(() => {
    const payloads = bodies.map((body) => (body === undefined ? null : readPayload(body)));
    const changed = payloads.findLastIndex((payload, place) => {
      const previous = payloads[place - 1];
      if (payload === null || previous === null || previous === undefined) return false;
      return (compareNotifications(previous, payload)?.data.length ?? 0) > 0;
    });
    return changed === -1 ? events.length - 1 : start + changed;
  }, [bodies, events.length, start]);
}

interface TimeSliderProps {
  label: string;
  /** Oldest first. */
  events: readonly EventSummary[];
  at: number;
  choose: (id: string) => void;
}

/** Chooses one of the events; the arrow keys move by one, Home and End to the ends. */
function TimeSlider({ label, events, at, choose }: TimeSliderProps) {
  const { received_at: received, type } = events[at]!;
  const text = `${formatExact(received)}, ${type}`;
  return (
    <label className={classes.time}>
      <span>
        {label} <span className={classes.muted}>{text}</span>
      </span>
      <input
        type="range"
        aria-label={label}
        aria-valuetext={text}
        min={0}
        max={events.length - 1}
        value={at}
        className={classes.slider}
        onChange={({ currentTarget }) => choose(events[Number(currentTarget.value)]!.id)}
      />
    </label>
  );
}

/** The `data` of an event's payload; undefined while it is loading, null if it is not JSON. */
function useRecordOf(event: EventSummary | undefined): Json | null | undefined {
  const { data: body } = useQuery({ ...eventBodyQuery(event?.id ?? ''), enabled: event !== undefined });
  return useMemo(() => {
    if (body === undefined) return undefined;
    const payload = readPayload(body);
    if (payload.kind !== 'json') return null;
    const { json } = payload;
    return (json.kind === 'object' && json.members.get('data')) || json;
  }, [body]);
}
