import { StartRefused } from '../../ground/relay-error';
import { sqliteDriver } from '../sqlite-driver';
import { FirstTables1763600000000 } from './schema';
import { Alerts1764000000000 } from './schema-alerts';
import { Access1763900000000 } from './schema-access';
import { ClockRecord1764100000000 } from './schema-clock';
import { ConsentExchanges1763700000000 } from './schema-consents';
import { DeadLetters1764020000000 } from './schema-dead-letters';
import { Delivery1763800000000 } from './schema-delivery';
import { Endings1764300000000 } from './schema-endings';
import { Errors1763920000000 } from './schema-errors';
import { Ledger1763800100000 } from './schema-ledger';
import { Lifetimes1764320000000 } from './schema-lifetimes';
import { Lists1764400000000 } from './schema-lists';
import { Outages1763701000000 } from './schema-outages';
import { RejectionDrops1764500000000 } from './schema-rejection-drops';
import { RejectionAddresses1764310000000 } from './schema-rejections';
import { ReplayLosses1763900000000 } from './schema-replay-losses';
import { ReplayTracks1764130000000 } from './schema-replay-tracks';
import { Replays1763801000000 } from './schema-replays';
import { SubscriptionCare1763700000001 } from './schema-subscription';
import { Sessions1764600000000 } from './schema-sessions';
import { Traffic1763910000000 } from './schema-traffic';
import { Undated1764010000000 } from './schema-undated';
import { WebhookIds1764120000000 } from './schema-webhook-ids';

/** Every change of the tables, in the order in which they are made. */
export const MIGRATIONS = [
  FirstTables1763600000000,
  ConsentExchanges1763700000000,
  SubscriptionCare1763700000001,
  Outages1763701000000,
  Delivery1763800000000,
  Replays1763801000000,
  Ledger1763800100000,
  ReplayLosses1763900000000,
  Access1763900000000,
  Traffic1763910000000,
  Errors1763920000000,
  Alerts1764000000000,
  Undated1764010000000,
  DeadLetters1764020000000,
  ClockRecord1764100000000,
  WebhookIds1764120000000,
  ReplayTracks1764130000000,
  Endings1764300000000,
  RejectionAddresses1764310000000,
  Lifetimes1764320000000,
  Lists1764400000000,
  RejectionDrops1764500000000,
  Sessions1764600000000,
];

/** @throws StartRefused where the database cannot be read, or its tables are not those of this program; they stay as they are */
export function assertMigrated(file: string): void {
  const applied = new Set(orUnreadable(file, () => refuseNewer(file)));
  const missing = MIGRATIONS.filter(({ name }) => !applied.has(name));
  if (missing.length === 0) return;
  throw new StartRefused([
    {
      where: 'DATABASE_URL',
      what: `${file} was written by an earlier Switchboard (${missing.map(({ name }) => name).join(', ')} missing).`,
      remedy: 'Start the daemon once: it brings the database up to date.',
    },
  ]);
}

/**
 * @returns what was applied
 * @throws StartRefused when the database is newer than the program
 */
export function refuseNewer(file: string): string[] {
  const connection = new sqliteDriver(file, { readonly: true });
  try {
    const known = new Set(MIGRATIONS.map(({ name }) => name));
    const table = connection
      .prepare<[], { name: string }>(`SELECT name FROM sqlite_master WHERE name = 'migrations'`)
      .get();
    if (table === undefined) return [];
    const applied = connection
      .prepare<[], { name: string }>('SELECT name FROM migrations ORDER BY id')
      .all()
      .map(({ name }) => name);
    const newer = applied.filter((name) => !known.has(name));
    if (newer.length === 0) return applied;
    throw new StartRefused([
      {
        where: 'DATABASE_URL',
        what: `${file} was written by a newer Switchboard (${newer.join(', ')}).`,
        remedy: 'Start the newer version, or restore a backup made by this one.',
      },
    ]);
  } finally {
    connection.close();
  }
}

function orUnreadable<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (!code?.startsWith('SQLITE_')) throw error;
    throw new StartRefused([
      {
        where: 'DATABASE_URL',
        what: `${file} cannot be read as a database (${code}: ${message}).`,
        remedy: 'Look whether the disk is well, and restore a backup.',
      },
    ]);
  }
}
