import type { EventCount, EventStatus, ListedEvent } from '../../contract/event';
import type { EventFilterFlags } from '../definitions/event-filters';
import type { HubFlags } from '../definitions/hub-flags';
import { filterQuery } from './event-filters';
import { targetIdOf } from './find-by-name';
import type { HubClient, Query } from './hub-client';
import { note, writeJson, writeLine, writeTable, type Column } from './output';
import { itemsOf } from './pages';

const DEFAULT_LIMIT = 50;

export interface SelectionFlags extends HubFlags, EventFilterFlags {
  status?: EventStatus;
  target?: string;
}

interface ListFlags extends SelectionFlags {
  field?: string[];
  count?: true;
  limit?: number;
  all?: true;
}

/** `events list`: newest first. */
export async function listEvents(hub: HubClient, flags: ListFlags): Promise<void> {
  const query = await selectionQuery(hub, flags);
  if (flags.count) return count(hub, query, flags.json);
  const limit = flags.all ? Infinity : (flags.limit ?? DEFAULT_LIMIT);
  const found = itemsOf<ListedEvent>(hub, '/api/v1/events', { ...query, field: flags.field }, limit);
  if (flags.json) {
    for await (const event of found) await writeJson(event);
    return;
  }
  const events: ListedEvent[] = [];
  for await (const event of found) events.push(event);
  if (events.length === 0) note('No event matches.');
  else await writeTable([...COLUMNS, ...(flags.field ?? []).map(fieldColumn)], events);
  if (events.length === limit && process.stderr.isTTY)
    note(`The newest ${limit} are shown; --all or --limit shows more.`);
}

/** The filters with which the hub selects events. @throws CommandFailed if there is no such target */
export async function selectionQuery(hub: HubClient, flags: SelectionFlags): Promise<Query> {
  const target = flags.target === undefined ? undefined : await targetIdOf(hub, flags.target);
  return { ...filterQuery(flags), status: flags.status, target };
}

async function count(hub: HubClient, query: Query, json: boolean | undefined): Promise<void> {
  const counted = await hub.request<EventCount>('GET', '/api/v1/events/count', { query });
  await (json ? writeJson(counted) : writeLine(`${counted.estimated ? 'about ' : ''}${counted.count}`));
}

const STATUS_STYLES = {
  succeeded: 'green',
  dead: 'red',
  retrying: 'yellow',
  pending: 'yellow',
  cancelled: 'dim',
  unmatched: 'dim',
} as const;

const COLUMNS: readonly Column<ListedEvent>[] = [
  { head: 'time', text: ({ received_at: at }) => at },
  { head: 'seq', text: ({ seq }) => String(seq) },
  { head: 'type', text: ({ type }) => type },
  { head: 'entity', text: ({ entity }) => entity ?? '' },
  { head: 'name', text: ({ name }) => name ?? '', isFlexible: true },
  { head: 'status', text: ({ status }) => status, style: ({ status }) => STATUS_STYLES[status] },
];

const fieldColumn = (path: string): Column<ListedEvent> => ({
  head: path,
  text: ({ fields }) => String(fields?.[path] ?? ''),
});
