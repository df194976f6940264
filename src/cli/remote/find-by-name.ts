import type { Target } from '../../contract/target';
import { CommandFailed } from '../command-failed';
import { EXIT } from '../exit-codes';
import type { HubClient } from './hub-client';
import { itemsOf } from './pages';
import { REMEDIES } from './remedies';

/** All targets. */
export const targetsOf = (hub: HubClient): AsyncGenerator<Target> =>
  itemsOf((query) => hub.request('GET', '/api/v1/targets', { query }));

/** @param target a name or an id @throws CommandFailed if there is none of this name */
export async function targetIdOf(hub: HubClient, target: string): Promise<string> {
  if (/^tgt_[0-9a-z]{26}$/.test(target)) return target;
  for await (const { id, name } of targetsOf(hub)) if (name === target) return id;
  throw new CommandFailed(
    EXIT.failed,
    `The hub has no target "${target}".`,
    REMEDIES['target_unknown'],
    'target_unknown',
  );
}

/** The same for several. */
export async function targetIdsOf(hub: HubClient, targets: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const target of targets) ids.push(await targetIdOf(hub, target));
  return ids;
}

/** The names of all targets, by id. */
export async function targetNames(hub: HubClient): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for await (const { id, name } of targetsOf(hub)) names.set(id, name);
  return names;
}

/** @param event a `seq` or an id @throws CommandFailed if there is none with this `seq`, or no longer */
export async function eventIdOf(hub: HubClient, event: string): Promise<string> {
  if (!/^\d{1,12}$/.test(event)) return event;
  const seq = Number(event);
  if (seq === 0) throw noEvent(event);
  const { data } = await hub.request('GET', '/api/v1/events', { query: { seq: [seq], limit: 1 } });
  if (data[0] !== undefined) return data[0].id;
  // Only what follows a position tells an event that was removed from one that there never was. It is not asked first,
  // as it also fails for an event that is stored, if later ones were removed.
  const query = { after: String(seq - 1), limit: 1 };
  await hub.request('GET', '/api/v1/events', { query }).catch((error: unknown) => {
    throw isFuture(error) ? noEvent(event) : error;
  });
  throw noEvent(event);
}

const UNKNOWN = 'event_unknown';

const noEvent = (event: string) =>
  new CommandFailed(EXIT.failed, `There is no event ${event}.`, REMEDIES[UNKNOWN], UNKNOWN);

/** A removed event is another error, with its own exit code. */
const isFuture = (error: unknown) => error instanceof CommandFailed && error.code === 'position_unknown';

/** @param entity `<kind>:<id>` @throws CommandFailed if no event is about it */
export async function newestEventOf(hub: HubClient, entity: string): Promise<string> {
  const { data } = await hub.request('GET', '/api/v1/events', { query: { entity, limit: 1 } });
  if (data[0] !== undefined) return data[0].id;
  throw new CommandFailed(EXIT.failed, `No event about ${entity} is stored.`, '', UNKNOWN);
}
