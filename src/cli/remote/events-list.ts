import type { EventStatus, ListedEvent } from '../../contract/event';
import type { EventFilterFlags } from '../definitions/event-filters';
import type { HubFlags } from '../definitions/hub-flags';
import { filterQuery } from './event-filters';
import { targetIdOf } from './find-by-name';
import type { HubClient } from './hub-client';
import { writeItems, type ListFlags } from './items';
import { writeJson, writeLine, type Column } from './output';

export interface SelectionFlags extends HubFlags, EventFilterFlags {
  status?: EventStatus;
  target?: string;
}

interface EventListFlags extends SelectionFlags, ListFlags {
  field?: string[];
  count?: true;
}

/** `events list`: newest first. */
export async function listEvents(hub: HubClient, flags: EventListFlags): Promise<void> {
  const query = await selectionQuery(hub, flags);
  if (flags.count) return count(hub, query, flags.json);
  const columns = [...COLUMNS, ...(flags.field ?? []).map(fieldColumn)];
  const read = (page: object) =>
    hub.request('GET', '/api/v1/events', { query: { ...query, field: flags.field, ...page } });
  await writeItems(read, columns, 'event that matches', flags);
}

/** The filters with which the hub selects events. @throws CommandFailed if there is no such target */
export async function selectionQuery(hub: HubClient, flags: SelectionFlags) {
  const target = flags.target === undefined ? undefined : await targetIdOf(hub, flags.target);
  return { ...filterQuery(flags), status: flags.status, target };
}

async function count(
  hub: HubClient,
  query: Awaited<ReturnType<typeof selectionQuery>>,
  json: boolean | undefined,
): Promise<void> {
  const counted = await hub.request('GET', '/api/v1/events/count', { query });
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
