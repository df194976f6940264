import type { ListedOutage } from '../../contract/outage';
import type { HubFlags } from '../definitions/hub-flags';
import type { HubClient } from './hub-client';
import { writeItems, type ListFlags } from './items';
import { writeJson, writeLine, type Column } from './output';
import { counted, duration } from './words';

const COLUMNS: readonly Column<ListedOutage>[] = [
  { head: 'began', text: ({ began_at: at }) => at },
  { head: 'id', text: ({ id }) => id },
  { head: 'kind', text: ({ kind }) => kind },
  {
    head: 'lasted',
    text: ({ seconds, ended_at: at }) => `${duration(seconds)}${at === null ? ' so far' : ''}`,
  },
  { head: 'after seq', text: ({ after_seq: seq }) => String(seq ?? '') },
  { head: 'gap event', text: ({ gap_event_id: id }) => id ?? '' },
  { head: 'dismissed', text: ({ dismissed_at: at }) => at ?? '' },
  {
    head: 'repairs',
    text: ({ repairs }) =>
      repairs.map(({ id, state, events }) => `${id} ${state}, ${counted(events, 'event')}`).join('; '),
  },
];

/** `outages list`: newest first. */
export const listOutages = (hub: HubClient, flags: ListFlags): Promise<void> =>
  writeItems((query) => hub.request('GET', '/api/v1/outages', { query }), COLUMNS, 'outage', flags);

/** `outages dismiss`. */
export async function dismissOutage(hub: HubClient, id: string, { json }: HubFlags): Promise<void> {
  const outage = await hub.request('POST', '/api/v1/outages/{id}/dismiss', { path: { id } });
  await (json ? writeJson(outage) : writeLine(`${outage.id} is dismissed.`));
}
