import type { ManifestChange, ManifestResult } from '../../../contract/manifest';
import { CommandFailed } from '../../command-failed';
import type { HubFlags } from '../../definitions/hub-flags';
import { EXIT } from '../../exit-codes';
import { oneLine } from '../../printable';
import { confirm } from '../ask';
import type { HubClient } from '../hub-client';
import { note, paint, write, writeJson, writeLine } from '../output';
import { counted } from '../words';
import { readManifest, withValues, type ManifestFile, type ManifestFlags } from './manifest-file';
import { escaped } from './variables';

interface ChangeFlags extends HubFlags, ManifestFlags {
  prune?: true;
  adopt?: true;
  force?: true;
}

/** `targets diff`: what `targets apply` would change. */
export async function diffManifest(hub: HubClient, flags: ChangeFlags & { exitCode?: true }): Promise<void> {
  const manifest = await read(flags);
  const { result, changes } = await request(hub, manifest, flags, { dry_run: true });
  if (flags.json) await writeJson(result);
  else await writeChanges(changes);
  if (changes.length > 0 && flags.exitCode) process.exitCode = EXIT.no;
}

/** `targets apply`: shows what it would change, asks, and has the hub change all of it or nothing. */
export async function applyManifest(hub: HubClient, flags: ChangeFlags & { yes?: true }): Promise<void> {
  const manifest = await read(flags);
  const planned = await request(hub, manifest, flags, { dry_run: true });
  if (!flags.json) await writeChanges(planned.changes);
  const many = counted(planned.changes.length, 'change');
  if (planned.changes.length === 0) return flags.json ? writeJson(planned.result) : undefined;
  await confirm(`Apply ${many}?`, 'Nothing is changed', flags.yes);
  const { result } = await request(hub, manifest, flags, { revision: planned.result.revision });
  await (flags.json ? writeJson(result) : writeLine(`Applied ${many}.`));
}

/** `targets export`: the targets as `apply` takes them, without their secrets. */
export async function exportManifest(
  hub: HubClient,
  { manifest, json }: HubFlags & { manifest?: string },
): Promise<void> {
  const exported = await hub.request('GET', '/api/v1/manifests/export', {
    query: { manifest },
  });
  const named = { version: 1, ...(manifest !== undefined && { name: manifest }) };
  const file = { ...named, ...withValues(exported, escaped) };
  if (json) return writeJson(file);
  const { stringify } = await import('yaml');
  const { url } = await hub.hub();
  await write(`# yaml-language-server: $schema=${url}/api/v1/schemas/switchboard.json\n${stringify(file)}`);
}

async function read(flags: ManifestFlags): Promise<ManifestFile> {
  const manifest = await readManifest(flags);
  const { variables } = manifest;
  if (variables.length > 0) note(`Values are sent of ${variables.sort().join(', ')}.`);
  return manifest;
}

/** The codes of faults that are in the file. */
const INVALID = ['invalid_request', 'target_invalid', 'transform_tests_failed'];

async function request(
  hub: HubClient,
  { name, entries, concealed, failure }: ManifestFile,
  { prune, adopt, force }: ChangeFlags,
  more: { dry_run: true } | { revision: string },
): Promise<{ result: ManifestResult; changes: ManifestChange[] }> {
  try {
    const body = { ...entries, prune, adopt, force, ...more };
    const answer = await hub.request('POST', '/api/v1/manifests/{name}/apply', { path: { name }, body });
    const result = { ...answer, changes: answer.changes.map(concealed) };
    return { result, changes: result.changes.filter(({ action }) => action !== 'none') };
  } catch (error) {
    if (!(error instanceof CommandFailed) || !INVALID.includes(error.code)) throw error;
    const { errors } = error.others as { errors: { path: string; message: string }[] };
    throw failure(errors, error.remedy || undefined);
  }
}

async function writeChanges(changes: readonly ManifestChange[]): Promise<void> {
  if (changes.length === 0) note('Nothing differs.');
  for (const { action, name, fields, cancels } of changes) {
    const effect = cancels === 0 ? '' : `, which cancels ${counted(cancels, 'queued delivery')}`;
    await writeLine(`${paint(STYLES[action], action)} ${oneLine(`${name}${effect}`)}`);
    for (const { path, before, after, secret } of fields) {
      const shown = secret ? 'changed' : `${JSON.stringify(before)} → ${JSON.stringify(after)}`;
      await writeLine(`  ${paint('dim', oneLine(path))}  ${oneLine(shown)}`);
    }
  }
}

const STYLES = {
  create: 'green',
  change: 'yellow',
  rename: 'yellow',
  adopt: 'yellow',
  remove: 'red',
  none: 'dim',
} as const;
