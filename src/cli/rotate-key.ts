import { systemRandom } from '../relay/ground/random';
import type { Rotated } from '../relay/secrets/rotate-key';
import { readRestoreSettings } from '../relay/settings/read-settings';
import type { SettingsFlags } from './definitions/settings-flags';
import { environmentWith } from './environment';
import { jsonLine, oneLine } from './printable';
import { orCommandFailed } from './startup-failed';

/** Encrypts the stored secrets of a stopped hub with a new key. */
export async function rotateKey({
  json,
  newKeyFile,
  ...flags
}: SettingsFlags & { json?: boolean; newKeyFile?: string }): Promise<void> {
  // Imported here, so that other commands do not load it.
  const work = await import('../relay/secrets/rotate-key.js');
  const rotated = await orCommandFailed('The key is not replaced', () =>
    work.rotateKey(readRestoreSettings(environmentWith(flags)), {
      random: systemRandom,
      newKeyFile,
      now: new Date(),
    }),
  );
  const notes = notesOn(rotated, newKeyFile);
  process.stdout.write(
    json
      ? `${jsonLine({ secrets: rotated.secrets, former_key_file: rotated.formerKeyFile, notes })}\n`
      : [describe(rotated), ...notes].map((line) => `${oneLine(line)}\n`).join(''),
  );
}

const describe = ({ secrets }: Rotated) =>
  secrets === null
    ? 'The secrets are encrypted with the new key already.'
    : `Encrypted the stored secrets (${secrets}) with the new key.`;

const notesOn = ({ formerKeyFile }: Rotated, newKeyFile = ''): string[] => [
  formerKeyFile === null
    ? `Set SWITCHBOARD_SECRET_KEY to the content of ${newKeyFile} before a daemon is started. Backups made before can be restored only with the former key.`
    : `The former key is in ${formerKeyFile}: backups made before can be restored only with it. Keep it elsewhere.`,
  'Sessions that were opened with the admin token are over.',
];
