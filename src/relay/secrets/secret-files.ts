import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../ground/random';
import { StartupError } from '../ground/relay-error';
import type { Settings } from '../settings/settings';

const SECRET_KEY_FILE = 'secret.key';
export const ADMIN_TOKEN_FILE = 'admin.token';

/**
 * The key that encrypts at rest: given, or read from `DATA_DIR/secret.key`, or made for a new database.
 * @throws StartupError when the file is unreadable, or gone while the database it belongs to is still there
 */
export function loadSecretKey(settings: Settings, random: Random): Buffer {
  if (settings.secretKey !== null) return settings.secretKey;
  const file = join(settings.dataDir, SECRET_KEY_FILE);
  if (!existsSync(file) && existsSync(settings.databaseFile)) {
    throw new StartupError([
      {
        where: 'SWITCHBOARD_SECRET_KEY',
        what: `${file} is missing, and ${settings.databaseFile} was encrypted with it.`,
        remedy: 'Put the file back, or give the key as SWITCHBOARD_SECRET_KEY.',
      },
    ]);
  }
  const key = Buffer.from(
    readOrMake(file, () => random.bytes(32).toString('base64')),
    'base64',
  );
  if (key.length === 32) return key;
  throw new StartupError([
    {
      where: file,
      what: `${file} holds ${key.length} bytes; 32 are needed, as base64.`,
      remedy: 'Put the right file back; a new key cannot read what the old one encrypted.',
    },
  ]);
}

/** The operator's token: given, or read from `DATA_DIR/admin.token`, or made. */
export function loadAdminToken(settings: Settings, random: Random): string {
  if (settings.adminToken !== null) return settings.adminToken;
  return readOrMake(
    join(settings.dataDir, ADMIN_TOKEN_FILE),
    () => `swb_${random.bytes(32).toString('base64url')}`,
  );
}

/** A crash leaves the file whole or not there: half a key would lock out what it encrypted. */
function writeWhole(file: string, text: string): void {
  const draft = `${file}.new`;
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  renameSync(draft, file);
}

function readOrMake(file: string, make: () => string): string {
  try {
    if (existsSync(file)) return readFileSync(file, 'utf8').trim();
    const made = make();
    writeWhole(file, `${made}\n`);
    return made;
  } catch (error) {
    throw new StartupError([
      {
        where: file,
        what: `${file} cannot be read or written (${(error as NodeJS.ErrnoException).code}).`,
        remedy: 'Check who owns it; Switchboard needs to read it, and nobody else does.',
      },
    ]);
  }
}
