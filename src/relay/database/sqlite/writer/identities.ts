import type { Identity } from '../../journal/identity';
import type { Connection } from '../sqlite-driver';
import { BulkInsert } from './bulk-insert';

/**
 * The identities of the stored events. Those of the newest are in memory, and on disk in order of arrival; the passes
 * of {@link SqliteEventIndexes} move them into the sorted table.
 */
export class SqliteIdentities {
  /** The event of each identity that is not in the sorted table yet; null after a rollback. */
  private recent: Map<string, number> | null = null;
  private readonly sql: ReturnType<typeof statements>;

  constructor(connection: Connection) {
    this.sql = statements(connection);
  }

  /** @returns the event with this identity; null if there is none */
  find(identity: Identity): number | null {
    this.recent ??= this.readRecent();
    const seq = this.recent.get(keyOf(identity)) ?? this.sql.find.get(identity.minute, identity.hash);
    return (seq as number | undefined) ?? null;
  }

  /** From now on the identity is this event's, even if it was that of an earlier one. Stored by the next `flush`. */
  add(identity: Identity, seq: number): void {
    this.sql.add.add(seq, identity.minute, identity.hash);
    this.recent?.set(keyOf(identity), seq);
  }

  /** Inserts what was added. */
  flush(): void {
    this.sql.add.flush();
  }

  /** Moves the identities of these events into the sorted table. */
  sortThrough(through: number): void {
    this.sql.sort.run(through);
    this.sql.removeSorted.run(through);
    for (const [key, seq] of this.recent ?? []) if (seq <= through) this.recent!.delete(key);
  }

  /** Call it after a rollback: what is in memory may be wrong. */
  forget(): void {
    this.recent = null;
    this.sql.add.clear();
  }

  private readRecent(): Map<string, number> {
    const rows = this.sql.recent.all() as { seq: number; minute: number; hash: string }[];
    return new Map(rows.map(({ seq, ...identity }) => [keyOf(identity), seq]));
  }
}

const keyOf = ({ minute, hash }: Identity) => `${hash} ${minute}`;

const statements = (connection: Connection) => ({
  // Run for every event, so by position: binding by name takes a quarter more CPU time.
  find: connection.prepare('SELECT seq FROM identities WHERE minute = ? AND hash = unhex(?)').pluck(),
  add: new BulkInsert(connection, 'INSERT INTO recent_identities(seq, minute, hash)', '(?, ?, unhex(?))'),
  recent: connection.prepare(
    'SELECT seq, minute, lower(hex(hash)) AS hash FROM recent_identities ORDER BY seq',
  ),
  sort: connection.prepare(
    `INSERT INTO identities(minute, hash, seq) SELECT minute, hash, seq FROM recent_identities WHERE seq <= ?
     ORDER BY minute, hash, seq ON CONFLICT DO UPDATE SET seq = excluded.seq`,
  ),
  removeSorted: connection.prepare('DELETE FROM recent_identities WHERE seq <= ?'),
});
