import type { Consumer } from '../../contract/consumer';
import type { HubFlags } from '../definitions/hub-flags';
import { oneLine } from '../printable';
import { confirm } from './ask';
import { writeObject } from './facts';
import type { HubClient } from './hub-client';
import { writeItems, type ListFlags } from './items';
import { writeJson, writeLine, type Column } from './output';
import { parseJson } from './parse-json';
import { count, counted } from './words';

const COLUMNS: readonly Column<Consumer>[] = [
  { head: 'name', text: ({ name }) => name },
  { head: 'position', text: ({ position }) => position ?? '' },
  { head: 'lag', text: ({ lag }) => count(lag) },
  {
    head: 'lost',
    text: ({ missed }) => count(missed),
    style: ({ missed }) => (missed > 0 ? 'red' : undefined),
  },
  { head: 'oldest unread', text: ({ oldest_unread_at: at }) => at ?? '' },
  { head: 'last read', text: ({ last_read_at: at }) => at ?? 'never' },
  { head: 'reader', text: ({ lease }) => lease?.holder ?? '', isFlexible: true },
];

const read = (hub: HubClient, name: string): Promise<Consumer> =>
  hub.request('GET', '/api/v1/consumers/{name}', { path: { name } });

/** `consumers list`. */
export const listConsumers = (hub: HubClient, flags: ListFlags): Promise<void> =>
  writeItems((query) => hub.request('GET', '/api/v1/consumers', { query }), COLUMNS, 'consumer', flags);

/** `consumers get`. */
export async function getConsumer(hub: HubClient, name: string, { json }: HubFlags): Promise<void> {
  await show(await read(hub, name), json);
}

interface CreateFlags extends HubFlags {
  type?: string[];
  entity?: string;
  q?: string;
  payload?: string;
  start?: string;
}

/** `consumers create`: the same again changes nothing. */
export async function createConsumer(
  hub: HubClient,
  name: string,
  { type, entity, q, payload, start, json }: CreateFlags,
): Promise<void> {
  const filter = payload === undefined ? undefined : parseJson('--payload', payload);
  const body = { name, types: type, entity, q, payload: filter, start };
  await show(await hub.request('POST', '/api/v1/consumers', { body }), json);
}

/** `consumers reset`. */
export async function resetConsumer(
  hub: HubClient,
  name: string,
  { position, yes, json }: HubFlags & { position: string; yes?: true },
): Promise<void> {
  const { missed, lease } = await read(hub, name);
  const lost = missed > 0 ? ` That accepts the loss of ${counted(missed, 'event')}.` : '';
  const reader = lease === null ? '' : ` That ends the lease of ${lease.holder}.`;
  await confirm(`Reset ${name} to ${position}?${lost}${reader}`, 'Not reset', yes);
  await show(
    await hub.request('POST', '/api/v1/consumers/{name}/reset', { path: { name }, body: { position } }),
    json,
  );
}

/** `consumers remove`. */
export async function removeConsumer(
  hub: HubClient,
  name: string,
  { yes, json }: HubFlags & { yes?: true },
): Promise<void> {
  const { lag } = await read(hub, name);
  await confirm(`Remove ${name}, with ${counted(lag, 'event')} behind its position?`, 'Not removed', yes);
  await hub.request('DELETE', '/api/v1/consumers/{name}', { path: { name } });
  await (json ? writeJson({ name }) : writeLine(oneLine(`Removed ${name}.`)));
}

const show = async (consumer: Consumer, json: true | undefined): Promise<void> =>
  json ? writeJson(consumer) : writeObject(consumer);
