import type { ReplayDetail, ReplaySummary } from '../../../contract/replay';
import { CommandFailed } from '../../command-failed';
import type { HubFlags } from '../../definitions/hub-flags';
import { EXIT } from '../../exit-codes';
import { targetNames } from '../find-by-name';
import { follow, type FollowFlags } from '../follow';
import type { HubClient } from '../hub-client';
import { writeItems } from '../items';
import { writeJson, writeLine, type Column } from '../output';
import {
  describeProgress,
  describeWaiting,
  eventsOf,
  hasEnded,
  sum,
  waitsFor,
  writeReplay,
} from './replay-view';

const COLUMNS: readonly Column<ReplaySummary>[] = [
  { head: 'created', text: ({ created_at: at }) => at },
  { head: 'id', text: ({ id }) => id },
  { head: 'state', text: ({ state }) => state },
  { head: 'events', text: eventsOf },
  { head: 'waits for', text: waitsFor, isFlexible: true },
];

/** `replay list`: newest first. */
export const listReplays = (
  hub: HubClient,
  flags: HubFlags & { limit?: number; all?: true },
): Promise<void> =>
  writeItems((query) => hub.request('GET', '/api/v1/replays', { query }), COLUMNS, 'replay', flags);

/** `replay get`. */
export async function getReplay(hub: HubClient, given: string, { json }: HubFlags): Promise<void> {
  const replay = await hub.request('GET', '/api/v1/replays/{id}', { path: { id: await idOf(hub, given) } });
  await (json ? writeJson(replay) : writeReplay(replay, await targetNames(hub)));
}

/** `replay attach`: the progress until its end. The exit code says whether all was delivered. */
export async function attachReplay(hub: HubClient, given: string, flags: FollowFlags): Promise<void> {
  await followReplay(hub, await idOf(hub, given), flags);
}

/** `replay pause`, `resume` and `cancel`. */
export const changeReplay =
  (change: 'pause' | 'resume' | 'cancel') =>
  async (hub: HubClient, given: string, { json }: HubFlags): Promise<void> => {
    const replay = await hub.request('POST', `/api/v1/replays/{id}/${change}`, {
      path: { id: await idOf(hub, given) },
    });
    if (json) return writeJson(replay);
    await writeLine(`${replay.id} is ${replay.state}: ${eventsOf(replay)} events.`);
  };

/** Shows the progress of a replay until its end, and then what became of its deliveries. */
export async function followReplay(hub: HubClient, id: string, flags: FollowFlags): Promise<void> {
  const ended = await follow<ReplayDetail>(
    {
      read: (options) => hub.request('GET', '/api/v1/replays/{id}', { path: { id }, ...options }),
      isEnded: hasEnded,
      progress: (replay) => ({
        done: replay.events,
        total: replay.total,
        text: describeProgress(replay),
      }),
      waits: describeWaiting,
      detached: `${id} runs on; switchboard replay attach ${id}`,
    },
    flags,
  );
  if (ended === null) return;
  if (!flags.json) await writeReplay(ended, await targetNames(hub));
  if (ended.state === 'cancelled' || sum(ended, 'dead') > 0) process.exitCode = EXIT.no;
}

/** @param given an id, or `last` @throws CommandFailed if there is no replay yet */
async function idOf(hub: HubClient, given: string): Promise<string> {
  if (given !== 'last') return given;
  const { data } = await hub.request('GET', '/api/v1/replays', { query: { limit: 1 } });
  if (data[0] !== undefined) return data[0].id;
  throw new CommandFailed(EXIT.failed, 'There is no replay yet.', '', 'replay_unknown');
}
