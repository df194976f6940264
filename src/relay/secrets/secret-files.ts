import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../ground/random';
import { StartupError } from '../ground/relay-error';
import { replaceFile } from '../ground/replace-file';
import { decodeText } from '../settings/decode-text';
import type { Settings } from '../settings/settings';

export const SECRET_KEY_FILE = 'secret.key';
export const ADMIN_TOKEN_FILE = 'admin.token';

/**
 * The key for encryption at rest: from the settings, or from `DATA_DIR/secret.key`. The file is generated if
 * there is no database yet.
 * @throws StartupError if the file cannot be read or holds no valid key, or is missing although there is a
 *   database
 */
export function loadSecretKey(
  settings: Pick<Settings, 'dataDir' | 'databaseFile' | 'secretKey'>,
  random: Random,
): Buffer {
  if (settings.secretKey !== null) return settings.secretKey;
  const file = join(settings.dataDir, SECRET_KEY_FILE);
  if (!existsSync(file) && existsSync(settings.databaseFile)) {
    throw new StartupError({
      where: 'SWITCHBOARD_SECRET_KEY',
      what: `${file} is missing, and the secrets in ${settings.databaseFile} were encrypted with it.`,
      remedy: 'Restore the file, or set the key as SWITCHBOARD_SECRET_KEY.',
    });
  }
  return decodeKey(
    file,
    readOrCreate(file, () => random.bytes(32).toString('base64')),
  );
}

/** A key in a file. @throws StartupError if it cannot be read, or holds no valid key */
export const readKey = (file: string): Buffer =>
  decodeKey(
    file,
    orUnreadable(file, () => decodeText(readFileSync(file)).trim()),
  );

function decodeKey(file: string, text: string): Buffer {
  const key = Buffer.from(text, 'base64');
  if (key.length === 32) return key;
  throw new StartupError({
    where: file,
    what: `${file} holds ${key.length} bytes; 32 are required, encoded as base64.`,
    remedy: 'Restore the original file; a new key cannot decrypt what the old one encrypted.',
  });
}

/** The admin token: from the settings, or from `DATA_DIR/admin.token`, which is generated if it is missing. */
export function loadAdminToken(settings: Settings, random: Random): string {
  if (settings.adminToken !== null) return settings.adminToken;
  return readOrCreate(
    join(settings.dataDir, ADMIN_TOKEN_FILE),
    () => `swb_${random.bytes(32).toString('base64url')}`,
  );
}

const readOrCreate = (file: string, create: () => string): string =>
  orUnreadable(file, () => {
    if (existsSync(file)) return decodeText(readFileSync(file)).trim();
    const created = create();
    replaceFile(file, `${created}\n`);
    return created;
  });

function orUnreadable(file: string, work: () => string): string {
  try {
    return work();
  } catch (error) {
    throw new StartupError(
      {
        where: file,
        what: `${file} cannot be read or written (${(error as NodeJS.ErrnoException).code}).`,
        remedy: 'Check its owner and permissions: Switchboard needs to read it, and nobody else should.',
      },
      error,
    );
  }
}
