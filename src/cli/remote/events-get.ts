import type { DeliveryDetail } from '../../contract/delivery';
import type { EventDetail } from '../../contract/event';
import type { HubFlags } from '../definitions/hub-flags';
import { writeFacts } from './facts';
import { eventIdOf } from './find-by-name';
import type { HubClient } from './hub-client';
import { writeJson, writeLine, writeTable, type Column } from './output';

/** `events get`: all that is stored about one event but its body. */
export async function getEvent(hub: HubClient, given: string, { json }: HubFlags): Promise<void> {
  const id = await eventIdOf(hub, given);
  const event = await hub.request('GET', '/api/v1/events/{id}', { path: { id } });
  if (json) return writeJson(event);
  writeFacts(factsOf(event));
  if (event.deliveries.length === 0) return;
  await writeLine('');
  await writeTable(COLUMNS, event.deliveries);
}

const factsOf = (event: EventDetail) =>
  [
    ['id', event.id],
    ['seq', event.seq],
    ['type', event.type],
    ['entity', event.entity],
    ['name', event.name],
    ['status', event.status],
    ['occurred', event.occurred_at],
    ['received', event.received_at],
    ['size', `${event.size_bytes} bytes`],
    ['content type', event.content_type],
    ['webhook', event.webhook_id],
    ['verified by', event.verification?.header ?? null],
    ['duplicates', event.duplicate_times.join(', ')],
    ['unreadable', event.unreadable],
    ...event.headers.map(([name, value]) => ['header', `${name}: ${value}`] as const),
  ] as const;

const STYLES: Partial<Record<DeliveryDetail['state'], 'green' | 'red' | 'yellow'>> = {
  succeeded: 'green',
  dead: 'red',
  retrying: 'yellow',
};

const COLUMNS: readonly Column<DeliveryDetail>[] = [
  { head: 'target', text: ({ target_name: name }) => name },
  { head: 'delivery', text: ({ id }) => id },
  { head: 'trigger', text: ({ trigger }) => trigger },
  { head: 'state', text: ({ state }) => state, style: ({ state }) => STYLES[state] },
  { head: 'attempts', text: ({ attempt_count: count }) => String(count) },
  {
    head: 'last',
    text: ({ last_status: status, last_error: error }) => String(status ?? error ?? ''),
  },
];
