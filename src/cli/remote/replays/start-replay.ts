import type { OriginalOutcome, ReplayCreate, ReplayPreview, ReplayRate } from '../../../contract/replay';
import { invalidCommandLine } from '../../command-failed';
import type { EventFilterFlags } from '../../definitions/event-filters';
import { confirm } from '../ask';
import { filterQuery } from '../event-filters';
import { writeFacts } from '../facts';
import { targetIdOf, targetIdsOf, targetNames } from '../find-by-name';
import type { FollowFlags } from '../follow';
import type { HubClient } from '../hub-client';
import { note, writeJson, writeLine } from '../output';
import { parseJson } from '../parse-json';
import { count, counted, duration } from '../words';
import { followReplay } from './replay-verbs';

interface ReplayFlags extends FollowFlags, Omit<EventFilterFlags, 'origin'> {
  outcome?: OriginalOutcome[];
  deliveredTo?: string;
  missedBy?: string;
  to?: string[];
  /** Events per second. */
  rate?: number;
  pace?: number;
  untilSeq?: number;
  all?: true;
  dryRun?: true;
  yes?: true;
  detach?: true;
}

/** `replay`: shows what would be sent, asks, and sends exactly that. */
export async function startReplay(hub: HubClient, flags: ReplayFlags): Promise<void> {
  const { json, dryRun, detach, yes, untilSeq } = flags;
  const wanted = await replayOf(hub, flags);
  const preview = await hub.request('POST', '/api/v1/replays/preview', { body: wanted });
  if (dryRun && json) return writeJson(preview);
  const { events, deliveries } = preview;
  if (!json || !yes) describe(preview, await targetNames(hub), dryRun ? process.stdout : process.stderr);
  if (dryRun) return;
  if (events === 0) return void note('No event matches: nothing is replayed.');
  await confirm(
    `Replay ${counted(events, 'event')} (${counted(deliveries, 'delivery')})?`,
    'Not replayed',
    yes,
  );
  const body = { ...wanted, filter: { ...wanted.filter, until_seq: untilSeq ?? preview.until_seq } };
  const replay = await hub.request('POST', '/api/v1/replays', { body });
  if (!detach) return followReplay(hub, replay.id, flags);
  await (json
    ? writeJson(replay)
    : writeLine(`${replay.id} is ${replay.state}; switchboard replay attach ${replay.id}`));
}

/** @throws CommandFailed if the flags select nothing, or name what does not exist */
async function replayOf(hub: HubClient, flags: ReplayFlags): Promise<ReplayBody> {
  const { type: types, payload, ...conditions } = filterQuery(flags);
  const selected = {
    ...conditions,
    types,
    payload: typeof payload === 'string' ? parseJson('--payload', payload) : undefined,
    outcomes: flags.outcome,
    target: flags.deliveredTo && (await targetIdOf(hub, flags.deliveredTo)),
    missed_by: flags.missedBy && (await targetIdOf(hub, flags.missedBy)),
  };
  const isNarrowed = Object.values(selected).some((value) => value !== undefined);
  if (isNarrowed === (flags.all === true))
    throw invalidCommandLine(
      isNarrowed ? '--all selects all events, and other flags only some.' : 'No flag says which events.',
      `Use ${isNarrowed ? 'one of both' : 'such as --since or --type; or --all for all events of Co-Pilot'}.`,
    );
  return {
    filter: { ...selected, until_seq: flags.untilSeq },
    ...(flags.all && { all: true }),
    ...(flags.to && { target_ids: await targetIdsOf(hub, flags.to) }),
    rate: rateOf(flags),
  };
}

type ReplayBody = Omit<ReplayCreate, 'filter'> & { filter: object };

function rateOf({ rate, pace }: ReplayFlags): ReplayRate {
  if (rate !== undefined) return { per_second: rate };
  return pace === undefined ? 'as_fast_as_allowed' : { pace };
}

function describe(
  preview: ReplayPreview,
  names: ReadonlyMap<string, string>,
  stream: NodeJS.WriteStream,
): void {
  const { events, estimated, oldest_at: oldest, newest_at: newest, duration_s: seconds } = preview;
  const about = estimated ? 'about ' : '';
  const perTarget = (targets: ReplayPreview['by_target']) =>
    targets.map(({ target_id: id, deliveries }) => `${names.get(id) ?? id} ${count(deliveries)}`).join(', ');
  writeFacts(
    [
      ['events', `${about}${count(events)}`],
      ['received', oldest === null ? null : `${oldest} to ${newest}`],
      ['types', preview.by_type.map(({ type, events: some }) => `${type} ${count(some)}`).join(', ')],
      ['deliveries', `${about}${count(preview.deliveries)}`],
      ['to', perTarget(preview.by_target)],
      ['disabled', perTarget(preview.disabled_targets)],
      [
        'duration',
        seconds === null || events === 0 ? null : `about ${duration(seconds)}, if the targets keep up`,
      ],
    ],
    stream,
  );
}
