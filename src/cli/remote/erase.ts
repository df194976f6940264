import type { ErasurePreview, ErasurePreviewQuery } from '../../contract/erasure';
import { invalidCommandLine } from '../command-failed';
import type { HubFlags } from '../definitions/hub-flags';
import { confirm } from './ask';
import { writeFacts } from './facts';
import type { HubClient } from './hub-client';
import { note, writeJson, writeLine } from './output';
import { parseJson } from './parse-json';
import { count, counted } from './words';

interface EraseFlags extends HubFlags {
  reason?: string;
  dryRun?: true;
  yes?: true;
}

/** `erase event`. */
export const eraseEvent = (hub: HubClient, id: string, flags: EraseFlags): Promise<void> =>
  erase(hub, { event_id: id }, flags);

/** `erase entity`. */
export const eraseEntity = (
  hub: HubClient,
  entity: string,
  { mentions, ...flags }: EraseFlags & { mentions?: string },
): Promise<void> =>
  erase(
    hub,
    { entity, ...(mentions !== undefined && { mentions: parseJson('--mentions', mentions) }) },
    flags,
  );

/** Shows what would be erased, asks, and erases exactly that. */
async function erase(
  hub: HubClient,
  selection: ErasurePreviewQuery,
  { reason, dryRun, yes, json }: EraseFlags,
): Promise<void> {
  if (reason === undefined && !dryRun)
    throw invalidCommandLine('The command line does not say why.', 'Add --reason, or --dry-run.');
  const preview = await hub.request('POST', '/api/v1/erasures/preview', { body: selection });
  if (dryRun && json) return writeJson(preview);
  if (!json || !yes) describe(preview, dryRun ? process.stdout : process.stderr);
  if (dryRun) return;
  const total = preview.events + (preview.mentioned?.events ?? 0);
  if (total + preview.states === 0) return void note('Nothing is stored of it: nothing is erased.');
  const what = [counted(total, 'event'), ...(preview.states > 0 ? [counted(preview.states, 'state')] : [])];
  await confirm(`Erase ${what.join(' and ')} for good?`, 'Not erased', yes);
  const body = { ...selection, reason: reason!, until_seq: preview.until_seq };
  const erasure = await hub.request('POST', '/api/v1/erasures', { body });
  if (json) return writeJson(erasure);
  await writeLine(`${erasure.id} is ${erasure.state}. ${erasure.sentence}`);
}

const about = (isEstimated: boolean) => (isEstimated ? 'about ' : '');

function describe(
  { events, estimated, mentioned, states, queued, backups }: ErasurePreview,
  stream: NodeJS.WriteStream,
): void {
  writeFacts(
    [
      ['events', `${about(estimated)}${count(events)}`],
      ['mentioned', mentioned && `${about(mentioned.estimated)}${count(mentioned.events)}`],
      ['such as', mentioned?.samples.map(({ id, type, entity }) => `${id} (${type}, ${entity})`).join(', ')],
      ['kept states', count(states)],
      ['cancelled', counted(queued, 'queued delivery')],
      ['in backups', backups.files.map(({ file }) => file).join(', ')],
      ['until', backups.rotates_out_at],
    ],
    stream,
  );
}
