import { systemRandom } from '../relay/ground/random';
import { sqliteDriver } from '../relay/database/sqlite-driver';
import { assertKeyOpens } from '../relay/secrets/check-key';
import { Sealer } from '../relay/secrets/sealer';
import { loadSecretKey } from '../relay/secrets/secret-files';
import type { Settings } from '../relay/settings/settings';

/** Checks the secret key of a database in a file, as a start does. @throws StartupError if it is missing or another one */
export function checkSecretKey(settings: Settings): void {
  const connection = new sqliteDriver(settings.databaseFile, { readonly: true });
  try {
    const keyCheck =
      connection.prepare<[], string | null>('SELECT key_check FROM instance').pluck().get() ?? null;
    const key = loadSecretKey(settings, systemRandom);
    if (keyCheck !== null) assertKeyOpens(keyCheck, new Sealer(key, systemRandom));
  } finally {
    connection.close();
  }
}
