import { COMMON_SQL } from '../../journal/common-sql';
import type { AppendResult } from '../../journal/group';
import { EVENT_COLUMNS, unpackEvent, type PackedEvent, type UnpackedEvent } from '../../journal/packed-rows';
import type { Connection } from '../sqlite-driver';
import type { SqliteDeliveries } from './deliveries';
import type { SqliteIdentities } from './identities';
import type { SqliteVersions } from './versions';
import { isRetry, SYSTEM_EVENT_MINUTE } from '../../journal/identity';

interface FirstEvent {
  seq: number;
  received_at: number;
  erased: 0 | 1;
}

/** Stores events with their deliveries, and recognizes duplicates by their identity. */
export class SqliteEvents {
  /** The newest event. */
  lastSeq: number;
  private readonly sql: ReturnType<typeof statements>;

  constructor(
    connection: Connection,
    private readonly deliveries: SqliteDeliveries,
    private readonly identities: SqliteIdentities,
    private readonly versions: SqliteVersions,
  ) {
    this.sql = statements(connection);
    const { seq } = this.sql.lastSeq.get() as { seq: number };
    this.lastSeq = seq;
  }

  /** All of it is stored by the next `flush`. */
  append(packed: PackedEvent): AppendResult {
    const event = unpackEvent(packed);
    const { identity, receivedAt } = event;
    const seq = this.lastSeq + 1;
    const firstSeq = this.identities.find(identity);
    if (firstSeq !== null) {
      const first = this.sql.event.get(firstSeq) as FirstEvent | undefined;
      if (first !== undefined && isRetry(identity, receivedAt - first.received_at))
        return this.appendDuplicate(event, first);
      // The first is too old; or it was pruned but its identity was not, since its timestamp was ahead of its
      // arrival. So this is a new event, which takes over the identity.
    }
    this.sql.insert.run(seq, ...event.values);
    for (const { target, lane } of event.planned) this.deliveries.add(seq, target, lane, receivedAt);
    this.identities.add(identity, seq);
    this.versions.set(seq, event.version);
    this.lastSeq = seq;
    return [seq, receivedAt, false];
  }

  /** Inserts the rest of what was appended. */
  flush(): void {
    this.deliveries.flush();
    this.identities.flush();
  }

  /** Call it after a rollback. */
  forget(): void {
    this.deliveries.forget();
    this.identities.forget();
  }

  private appendDuplicate({ identity, planned, receivedAt }: UnpackedEvent, first: FirstEvent): AppendResult {
    // Published again after a restart, it is no notification that somebody repeated; of an erased one nothing is left
    // that could be delivered.
    if (identity.minute === SYSTEM_EVENT_MINUTE || first.erased === 1)
      return [first.seq, first.received_at, true];
    const scheduled = planned
      .filter(({ takesDuplicates }) => takesDuplicates)
      .map(({ target, lane }) => this.deliveries.addDuplicate(first.seq, target, lane, receivedAt));
    const targets = scheduled.map(({ key }) => key.target);
    this.sql.insertDuplicate.run({
      seq: first.seq,
      receivedAt,
      state: targets.length > 0 && targets.length === planned.length ? 'released' : 'held',
      deliveredTo: targets.length === 0 ? null : JSON.stringify(targets),
    });
    return targets.length === 0
      ? [first.seq, first.received_at, true]
      : [first.seq, first.received_at, true, scheduled];
  }
}

const statements = (connection: Connection) => ({
  lastSeq: connection.prepare('SELECT coalesce(max(seq), 0) AS seq FROM events'),
  insert: connection.prepare(
    `INSERT INTO events(seq, ${EVENT_COLUMNS.join(', ')}) VALUES (?, ${EVENT_COLUMNS.map(() => '?').join(', ')})`,
  ),
  event: connection.prepare(
    `SELECT seq, received_at, EXISTS (SELECT 1 FROM erased_events x WHERE x.seq = e.seq) AS erased FROM events e
     WHERE seq = ?`,
  ),
  insertDuplicate: connection.prepare(COMMON_SQL.insertDuplicate),
});
