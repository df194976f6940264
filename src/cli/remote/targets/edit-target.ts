import { isDeepStrictEqual } from 'node:util';
import type { Target } from '../../../contract/target';
import { CommandFailed } from '../../command-failed';
import { EXIT } from '../../exit-codes';
import { oneLine } from '../../printable';
import { edited } from '../editor';
import type { HubClient } from '../hub-client';
import { note, paint, writeJson, writeLine } from '../output';
import { withSecretFile } from '../secret-file';
import { headerInputs, settingsOf, type SettingsFlags } from './target-settings';
import { targetOf } from './target-view';
import { writeSecret } from './target-verbs';

interface EditFlags extends SettingsFlags {
  name?: string;
  newSecret?: true;
  force?: true;
}

type Settings = Record<string, unknown>;

/** `targets edit`: what the flags set; without any, what the operator changes in an editor. */
export async function editTarget(hub: HubClient, given: string, flags: EditFlags): Promise<void> {
  const target = await targetOf(hub, given);
  const { name, newSecret, force, secretOut, json } = flags;
  const set: Settings = {
    ...(await settingsOf(flags, target.headers)),
    ...(name !== undefined && { name }),
    ...(newSecret && { new_secret: true }),
  };
  const patch = async (changes: Settings) => {
    if (Object.keys(changes).length === 0) return void note('Nothing is changed.');
    if (!json)
      for (const line of differences(settingsView(target), changes)) process.stderr.write(`${line}\n`);
    const patched = await withSecretFile(secretOut, () =>
      hub.request('PATCH', '/api/v1/targets/{id}', { path: { id: target.id }, body: { ...changes, force } }),
    );
    if (json) return writeJson(patched);
    await writeLine(oneLine(`Changed ${patched.name}.`));
    await writeSecret(patched);
  };
  return Object.keys(set).length > 0 ? patch(set) : editAsYaml(target, patch);
}

const HEADING = `# The settings of a target. What is left out stays as it is, as does a secret header without a value.\n`;

async function editAsYaml(target: Target, patch: (changes: Settings) => Promise<void>): Promise<void> {
  if (!process.stdin.isTTY)
    throw new CommandFailed(EXIT.usage, 'There is no terminal to edit on.', 'Use flags.', 'no_terminal');
  const { parse, stringify } = await import('yaml');
  const before = settingsView(target);
  const file = `${HEADING}${stringify(before)}`;
  await edited(file, 'target.yaml', async (text) => {
    let after: Settings;
    try {
      after = (parse(text) ?? {}) as Settings;
    } catch (error) {
      throw new CommandFailed(
        EXIT.config,
        `That is not YAML: ${(error as Error).message.split('\n')[0]}`,
        'Nothing is changed.',
        'file_invalid',
      );
    }
    await patch(changesOf(before, after));
  });
}

const PLAIN = ['name', 'url', 'format', 'events', 'filter', 'enabled', 'signature', 'ed25519'] as const;

/** What can be changed, as the API takes it. */
function settingsView(target: Target): Settings {
  const { has_key: _, ...tls } = target.tls ?? {};
  const { version: __, ...transform } = target.transform ?? {};
  // A listener has no URL.
  const plain = PLAIN.filter((name) => name !== 'url' || target.url !== null);
  return {
    ...Object.fromEntries(plain.map((name) => [name, target[name]])),
    headers: headerInputs(target.headers),
    tls: target.tls && tls,
    transform: target.transform && transform,
    policy: target.policy,
  };
}

/** The fields that differ; of the policy only those. */
function changesOf(before: Settings, after: Settings): Settings {
  const changes = Object.entries(after).flatMap(([name, value]) => {
    if (isDeepStrictEqual(value, before[name])) return [];
    return [[name, name === 'policy' ? changesOf(before[name] as Settings, value as Settings) : value]];
  });
  return Object.fromEntries(changes) as Settings;
}

/** A line for each field that changes. */
function differences(before: Settings, changes: Settings, prefix = ''): string[] {
  return Object.entries(changes).flatMap(([name, value]) => {
    if (name === 'policy') return differences(before[name] as Settings, value as Settings, 'policy.');
    const was = name === 'new_secret' ? '' : `${JSON.stringify(before[name])} → `;
    const shown = name === 'headers' ? withoutSecrets(value) : value;
    return [
      `${paint('dim', `${prefix}${name}`, process.stderr)}  ${oneLine(`${was}${JSON.stringify(shown)}`)}`,
    ];
  });
}

const withoutSecrets = (headers: unknown) =>
  Array.isArray(headers)
    ? headers.map((one: { secret?: boolean; value?: string }) =>
        one.secret && one.value !== undefined ? { ...one, value: '***' } : one,
      )
    : headers;
