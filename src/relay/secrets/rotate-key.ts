import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { openPool, runTransaction, withConnection } from '../database/postgres/connect';
import { translateSql } from '../database/postgres/translate-sql';
import { inspectPostgres } from '../database/postgres/prepare-postgres';
import { orUnavailable } from '../database/postgres/unavailable';
import { readStoppedDatabase } from '../database/sqlite/read-stopped-database';
import { prepareWriting, sqliteDriver } from '../database/sqlite/sqlite-driver';
import type { Random } from '../ground/random';
import { StartupError } from '../ground/relay-error';
import { replaceFile } from '../ground/replace-file';
import type { readRestoreSettings } from '../settings/read-settings';
import { reseal, type Run } from './reseal';
import { readKey, SECRET_KEY_FILE } from './secret-files';
import { Sealer } from './sealer';

/** The new key of DATA_DIR/secret.key while a rotation is under way. */
const NEXT = '.next';

export interface Rotated {
  /** How many secrets were encrypted; null if an interrupted rotation had done that. */
  secrets: number | null;
  /** Where the former key is, if it was that of DATA_DIR/secret.key; null if it is a setting. */
  formerKeyFile: string | null;
}

/**
 * Encrypts all secrets of a stopped hub with a new key, in one transaction. If it is interrupted, another run completes
 * it: the new key is on disk before, and replaces the former one only afterwards.
 * @param newKeyFile the new key, if the present one is a setting; that in DATA_DIR/secret.key is replaced by a random one
 * @throws StartupError if the operator has to change something first
 */
export async function rotateKey(
  settings: ReturnType<typeof readRestoreSettings>,
  { random, newKeyFile, now }: { random: Random; newKeyFile: string | undefined; now: Date },
): Promise<Rotated> {
  const file = join(settings.dataDir, SECRET_KEY_FILE);
  const isSetting = settings.secretKey !== null;
  if (isSetting !== (newKeyFile !== undefined)) throw otherWay(isSetting);
  const before = new Sealer(settings.secretKey ?? readKey(file), random);
  if (!isSetting && !existsSync(file + NEXT))
    replaceFile(file + NEXT, `${random.bytes(32).toString('base64')}\n`);
  const after = new Sealer(readKey(newKeyFile ?? file + NEXT), random);
  const work = (run: Run) => reseal(run, before, after);
  const { postgresUrl } = settings;
  const secrets = await (postgresUrl === null ? onSqlite(settings, work) : onPostgres(postgresUrl, work));
  if (isSetting) return { secrets, formerKeyFile: null };
  // Backups that were made before need it.
  const formerKeyFile = `${file}.before-${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
  replaceFile(formerKeyFile, readFileSync(file, 'utf8'));
  renameSync(file + NEXT, file);
  return { secrets, formerKeyFile };
}

function onSqlite(
  paths: Parameters<typeof readStoppedDatabase>[0],
  work: (run: Run) => Promise<number | null>,
): Promise<number | null> {
  return readStoppedDatabase(paths, async () => {
    const connection = new sqliteDriver(paths.databaseFile);
    try {
      prepareWriting(connection);
      connection.exec('BEGIN IMMEDIATE');
      const count = await work(async <Row>(sql: string, values: unknown[]) => {
        const statement = connection.prepare<unknown[], Row>(sql);
        if (statement.reader) return statement.all(...values);
        statement.run(...values);
        return [];
      });
      connection.exec('COMMIT');
      return count;
    } finally {
      connection.close();
    }
  });
}

async function onPostgres(url: string, work: (run: Run) => Promise<number | null>): Promise<number | null> {
  await inspectPostgres(url);
  const pool = openPool(url, 1, { queryTimeoutMs: 0 });
  try {
    return await orUnavailable(url, () =>
      withConnection(pool, (client) =>
        runTransaction(client, async () => {
          // A daemon that starts meanwhile waits until its key is no longer the right one.
          await client.query('LOCK TABLE daemons IN EXCLUSIVE MODE');
          const { rows } = await client.query('SELECT 1 FROM daemons WHERE alive_until > clock_timestamp()');
          if (rows.length > 0) throw stillRunning();
          return work(async <Row>(sql: string, values: unknown[]) => {
            const answer = await client.query(...translateSql(sql, values));
            return answer.rows as Row[];
          });
        }),
      ),
    );
  } finally {
    await pool.end();
  }
}

const stillRunning = () =>
  new StartupError({
    where: 'DATABASE_URL',
    what: 'A daemon is running on the database, or was killed within the last seconds.',
    remedy: 'Stop all of its daemons, then try again.',
  });

const otherWay = (isSetting: boolean) =>
  new StartupError(
    isSetting
      ? {
          where: '--new-key-file',
          what: 'The present key is that of SWITCHBOARD_SECRET_KEY, so the new one must be given.',
          remedy: 'Write one to a file, such as by openssl rand -base64 32, and name the file.',
        }
      : {
          where: '--new-key-file',
          what: `The present key is that of DATA_DIR/${SECRET_KEY_FILE}, which is replaced by a random one.`,
          remedy: 'Leave the flag out.',
        },
  );
