import type { DataSource } from 'typeorm';
import type { Journal } from '../database/journal';
import { StartupError } from '../ground/relay-error';
import type { Sealer } from './sealer';

const PURPOSE = 'instance.key_check';
const SENTENCE = 'sealed with the right key';

/**
 * Holds the key against what the database was sealed with; a new database takes a mark of it.
 * @throws StartupError for another key: nothing is ever encrypted anew in silence
 */
export async function checkKey(source: DataSource, journal: Journal, sealer: Sealer): Promise<void> {
  const [instance] = await source.query<{ key_check: string | null }[]>('SELECT key_check FROM instance');
  const mark = instance?.key_check ?? null;
  if (mark === null) {
    await journal.change([['UPDATE instance SET key_check = ?', [sealer.seal(SENTENCE, PURPOSE)]]]);
    return;
  }
  try {
    sealer.open(mark, PURPOSE);
  } catch {
    throw new StartupError([
      {
        where: 'SWITCHBOARD_SECRET_KEY',
        what: 'The key is not the one that this database was encrypted with.',
        remedy:
          'Give the right key (DATA_DIR/secret.key or SWITCHBOARD_SECRET_KEY); tokens cannot be read without it.',
      },
    ]);
  }
}
