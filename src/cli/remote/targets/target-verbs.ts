import type { TargetPatched } from '../../../contract/target';
import { invalidCommandLine } from '../../command-failed';
import type { HubFlags } from '../../definitions/hub-flags';
import { EXIT } from '../../exit-codes';
import { oneLine } from '../../printable';
import { confirm } from '../ask';
import { eventIdOf, targetIdOf, targetIdsOf, targetNames } from '../find-by-name';
import type { HubClient } from '../hub-client';
import { note, writeJson, writeLine } from '../output';
import { readSecret, withSecretFile } from '../secret-file';
import { counted } from '../words';
import { settingsOf, type SettingsFlags } from './target-settings';
import { targetOf, writeOutcome } from './target-view';

interface AddFlags extends SettingsFlags {
  backfill?: string;
  secretIn?: string;
}

/** `targets add`. */
export async function addTarget(hub: HubClient, name: string, flags: AddFlags): Promise<void> {
  const { json, backfill, secretIn, secretOut } = flags;
  const settings = await settingsOf(flags);
  const secret = secretIn && (await readSecret(secretIn));
  const body = { name, ...settings, backfill_since: backfill, secret };
  const target = await withSecretFile(secretOut, () => hub.request('POST', '/api/v1/targets', { body }));
  if (json) return writeJson(target);
  await writeLine(oneLine(`Added ${target.name} (${target.id}).`));
  if ('backfill_replay_id' in target) {
    const { backfill_replay_id: replay } = target;
    note(`It gets stored events by the replay ${replay}: switchboard replay attach ${replay}`);
  }
  await writeSecret(target, secretIn === undefined);
}

/** What was changed, and the secret if there is one to show. */
export async function writeSecret(
  { secret, warnings }: Pick<TargetPatched, 'secret' | 'warnings'>,
  isNew = true,
): Promise<void> {
  if (secret !== undefined && isNew) await writeLine(`Signing secret, shown only once: ${secret}`);
  for (const warning of warnings) note(`Warning: ${warning}`);
}

interface PauseFlags extends HubFlags {
  all?: true;
  reason?: string;
  /** Seconds. */
  for?: number;
  yes?: true;
}

/** `targets pause` and `resume`. */
export const changeTargets =
  (change: 'pause' | 'resume') =>
  async (hub: HubClient, given: readonly string[], flags: PauseFlags): Promise<void> => {
    const { all, reason, for: seconds, yes, json } = flags;
    if (given.length > 0 === (all === true)) throw invalidCommandLine('Name targets, or use --all.', '');
    const names = await targetNames(hub);
    const ids = await targetIdsOf(hub, given);
    if (all)
      await confirm(`${change === 'pause' ? 'Pause' : 'Resume'} all targets?`, 'Nothing is changed', yes);
    const until = seconds === undefined ? undefined : new Date(Date.now() + 1_000 * seconds).toISOString();
    const changed = await hub.request('POST', `/api/v1/targets/${change}`, {
      body: { ...(all ? { all } : { target_ids: ids }), reason, until },
    });
    if (json) return writeJson(changed);
    const done = changed.target_ids.map((id) => names.get(id) ?? id).join(', ');
    await writeLine(oneLine(done === '' ? 'Nothing had to be changed.' : `${PAST[change]}: ${done}`));
  };

const PAST = { pause: 'Paused', resume: 'Resumed' } as const;

/** `targets test`: sends a sample, or a stored event, and shows the response. */
export async function testTarget(
  hub: HubClient,
  given: string,
  { event, json }: HubFlags & { event?: string },
): Promise<void> {
  const { id, name } = await targetOf(hub, given);
  const body = event === undefined ? {} : { event_id: await eventIdOf(hub, event) };
  const outcome = await hub.request('POST', '/api/v1/targets/{id}/test', { path: { id }, body });
  if (!(await writeOutcome(name, outcome, json))) process.exitCode = EXIT.no;
}

/** `targets remove`: its queued deliveries are cancelled. */
export async function removeTarget(
  hub: HubClient,
  given: string,
  { yes, json }: HubFlags & { yes?: true },
): Promise<void> {
  const { id, name, backlog } = await targetOf(hub, given);
  const queued =
    backlog.open === 0
      ? 'It has nothing queued.'
      : `This cancels ${counted(backlog.open, 'queued delivery')}.`;
  if (!json) note(`${name}: ${queued}`);
  await confirm(`Remove ${name}?`, 'Not removed', yes);
  await hub.request('DELETE', '/api/v1/targets/{id}', { path: { id } });
  await (json ? writeJson({ id, name, cancelled: backlog.open }) : writeLine(oneLine(`Removed ${name}.`)));
}

/** `targets secret rotate`: the old secret stays valid for a while. */
export async function rotateSecret(
  hub: HubClient,
  given: string,
  { overlap, secretOut, json }: HubFlags & { overlap?: number; secretOut?: string },
): Promise<void> {
  const path = { id: await targetIdOf(hub, given) };
  const body = overlap === undefined ? {} : { overlap_seconds: overlap };
  const target = await withSecretFile(secretOut, () =>
    hub.request('POST', '/api/v1/targets/{id}/secret/rotate', { path, body }),
  );
  if (json) return writeJson(target);
  await writeSecret(target);
  note(`The old secret is valid until ${target.previous_secret_until ?? 'now'}.`);
}
