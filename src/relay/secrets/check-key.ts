import type { DataSource } from 'typeorm';
import type { Journal } from '../database/journal/journal';
import { StartupError } from '../ground/relay-error';
import type { Sealer } from './sealer';

const PURPOSE = 'instance.key_check';
const PLAINTEXT = 'sealed with the right key';

/**
 * Checks the key against the one the database was encrypted with; a new database stores a check value.
 * @throws StartupError for a different key: nothing is ever re-encrypted silently
 */
export async function checkKey(source: DataSource, journal: Journal, sealer: Sealer): Promise<void> {
  const [instance] = await source.query<{ key_check: string | null }[]>('SELECT key_check FROM instance');
  const sealed = instance?.key_check ?? null;
  if (sealed === null) {
    await journal.change({
      statements: [['UPDATE instance SET key_check = ?', [sealer.seal(PLAINTEXT, PURPOSE)]]],
    });
    return;
  }
  assertKeyOpens(sealed, sealer);
}

/** @throws StartupError unless the check value was encrypted with the key of this sealer */
export function assertKeyOpens(keyCheck: string, sealer: Sealer): void {
  if (isRightKey(keyCheck, sealer)) return;
  throw new StartupError({
    where: 'SWITCHBOARD_SECRET_KEY',
    what: 'The key is not the one that this database was encrypted with.',
    remedy:
      'Provide the original key (DATA_DIR/secret.key or SWITCHBOARD_SECRET_KEY); tokens cannot be decrypted without it. If "switchboard rotate-key" was interrupted, run it again.',
  });
}

export function isRightKey(keyCheck: string, sealer: Sealer): boolean {
  try {
    sealer.open(keyCheck, PURPOSE);
    return true;
  } catch {
    return false;
  }
}
