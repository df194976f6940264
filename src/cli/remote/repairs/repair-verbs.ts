import type { Repair, RepairItem } from '../../../contract/repair';
import { CommandFailed } from '../../command-failed';
import type { HubFlags } from '../../definitions/hub-flags';
import { EXIT } from '../../exit-codes';
import { writeFacts } from '../facts';
import { follow, type FollowFlags } from '../follow';
import type { HubClient } from '../hub-client';
import { writeItems } from '../items';
import { writeJson, writeLine, writeTable, type Column } from '../output';
import { itemsOf } from '../pages';
import { count } from '../words';

const MAX_ITEMS = 50;

/** How many deals differ. */
export const differing = ({ counts: { changed, missing, absent } }: Repair): number =>
  changed + missing + absent;

const COLUMNS: readonly Column<Repair>[] = [
  { head: 'created', text: ({ created_at: at }) => at },
  { head: 'id', text: ({ id }) => id },
  { head: 'purpose', text: ({ purpose }) => purpose },
  { head: 'state', text: ({ state }) => state },
  { head: 'differ', text: (repair) => count(differing(repair)) },
  { head: 'events', text: ({ applied }) => (applied === null ? '' : count(applied.events)) },
];

const ITEM_COLUMNS: readonly Column<RepairItem>[] = [
  { head: 'entity', text: ({ entity }) => entity },
  { head: 'name', text: ({ name }) => name ?? '' },
  { head: 'action', text: ({ action }) => action },
  {
    head: 'changes',
    text: ({ changes }) =>
      changes.map(({ path, before, after }) => `${path}: ${valueOf(before)} → ${valueOf(after)}`).join(', '),
    isFlexible: true,
  },
  { head: 'outcome', text: ({ outcome }) => outcome ?? '' },
];

const valueOf = (value: unknown) => (value === undefined ? '–' : JSON.stringify(value));

/** `repair list`: newest first. */
export const listRepairs = (
  hub: HubClient,
  flags: HubFlags & { limit?: number; all?: true },
): Promise<void> =>
  writeItems((query) => hub.request('GET', '/api/v1/repairs', { query }), COLUMNS, 'repair', flags);

/** `repair get`. */
export async function getRepair(hub: HubClient, given: string, { json }: HubFlags): Promise<void> {
  const path = { id: await idOf(hub, given) };
  const repair = await hub.request('GET', '/api/v1/repairs/{id}', { path });
  await (json ? writeJson(repair) : writeRepair(hub, repair));
}

/** `repair attach`: the progress until it waits for nothing but its operator. */
export async function attachRepair(hub: HubClient, given: string, flags: FollowFlags): Promise<void> {
  const ended = await followRepair(hub, await idOf(hub, given), flags);
  if (ended !== null && !flags.json) await writeRepair(hub, ended);
}

/** `repair cancel`. */
export async function cancelRepair(hub: HubClient, given: string, { json }: HubFlags): Promise<void> {
  const path = { id: await idOf(hub, given) };
  const repair = await hub.request('POST', '/api/v1/repairs/{id}/cancel', { path });
  await (json ? writeJson(repair) : writeLine(`${repair.id} is ${repair.state}.`));
}

/** Shows the progress until the repair has ended, or can be applied. @returns null if it was left to itself */
export async function followRepair(hub: HubClient, id: string, flags: FollowFlags): Promise<Repair | null> {
  const ended = await follow<Repair>(
    {
      read: (options) => hub.request('GET', '/api/v1/repairs/{id}', { path: { id }, ...options }),
      isEnded: ({ state, ended_at: at }) => at !== null || state === 'previewed',
      progress: (repair) => ({
        done: repair.applied?.items ?? 0,
        total: repair.applied?.total ?? 0,
        text: describe(repair),
      }),
      waits: ({ problem }) => problem?.reason ?? '',
      detached: `${id} runs on; switchboard repair attach ${id}`,
    },
    flags,
  );
  if (ended?.state === 'failed' || ended?.state === 'cancelled') process.exitCode = EXIT.no;
  return ended;
}

const describe = ({ state, read, applied }: Repair): string =>
  applied === null
    ? `${state}, ${count(read.records)} deals on ${count(read.pages)} pages`
    : `${state}, ${count(applied.items)} of ${count(applied.total)} deals, ${count(applied.events)} events`;

/** The result of a reading, with the first deals that differ. */
export async function writeRepair(
  hub: HubClient,
  repair: Repair,
  stream: NodeJS.WriteStream = process.stdout,
): Promise<void> {
  const { id, state, counts, read, problem, targets, applied } = repair;
  writeFacts(
    [
      ['repair', id],
      ['state', state],
      ['problem', problem && [problem.reason, problem.remedy].filter(Boolean).join(' ')],
      ['read', `${count(read.records)} deals on ${count(read.pages)} pages`],
      ['incomplete', read.incomplete_because],
      ...Object.entries(counts).map(([name, some]): [string, string | null] => [
        name.replaceAll('_', ' '),
        some === 0 ? null : count(some),
      ]),
      ['to', targets.map(({ name, events }) => `${name} ${count(events)}`).join(', ')],
      ['events', applied && count(applied.events)],
      ['created', repair.created_at],
      ['ended', repair.ended_at],
    ],
    stream,
  );
  if (differing(repair) === 0) return;
  const items: RepairItem[] = [];
  const page = (query: object) => hub.request('GET', '/api/v1/repairs/{id}/items', { path: { id }, query });
  for await (const item of itemsOf<RepairItem>(page, MAX_ITEMS)) items.push(item);
  if (items.length > 0) await writeTable(ITEM_COLUMNS, items);
}

/** @param given an id, or `last` @throws CommandFailed if there is no repair yet */
async function idOf(hub: HubClient, given: string): Promise<string> {
  if (given !== 'last') return given;
  const { data } = await hub.request('GET', '/api/v1/repairs', { query: { limit: 1 } });
  if (data[0] !== undefined) return data[0].id;
  throw new CommandFailed(EXIT.failed, 'There is no repair yet.', '', 'repair_unknown');
}
