import { COMMON_SQL, indexEntities } from '../../journal/common-sql';
import type { Connection } from '../sqlite-driver';
import type { SqliteIdentities } from './identities';
import type { SqliteVersions } from './versions';

/** The events that one pass indexes and counts. It takes about 5 ms, which delays a response by as much. */
const PASS_EVENTS = 1_000;

/**
 * The search indexes of types, entities and targets, filled behind the events in sorted passes that also sort their
 * identities and count them.
 */
export class SqliteEventIndexes {
  /** The newest event that is indexed. */
  through: number;
  private readonly sql: ReturnType<typeof statements>;

  constructor(
    connection: Connection,
    private readonly identities: SqliteIdentities,
    private readonly versions: SqliteVersions,
  ) {
    this.sql = statements(connection);
    const { through } = this.sql.through.get() as { through: number };
    this.through = through;
  }

  /** Whether there are enough events for a pass. */
  isBehind(lastSeq: number): boolean {
    return lastSeq - this.through >= PASS_EVENTS;
  }

  runPass(): void {
    this.indexThrough(this.through + PASS_EVENTS);
  }

  /** Call it in a transaction, so that what is indexed and what is counted agree after a crash. */
  indexThrough(through: number): void {
    if (through <= this.through) return;
    const range = { after: this.through, through };
    this.sql.indexTypes.run(range);
    this.sql.indexEntities.run({ ...range, knownFrom: this.versions.knownFrom });
    this.versions.forgetThrough(through);
    this.sql.indexTargets.run(range);
    this.identities.sortThrough(through);
    this.sql.countEvents.run(range);
    this.sql.setThrough.run({ through });
    this.through = through;
  }
}

const statements = (connection: Connection) => ({
  through: connection.prepare('SELECT indexed_through AS through FROM instance'),
  countEvents: connection.prepare(COMMON_SQL.countEvents),
  setThrough: connection.prepare('UPDATE instance SET indexed_through = @through'),
  indexTypes: connection.prepare(COMMON_SQL.indexTypes),
  indexEntities: connection.prepare(
    indexEntities('CASE WHEN seq >= @knownFrom THEN known_version(seq) ELSE version_of(body) END'),
  ),
  indexTargets: connection.prepare(
    `INSERT INTO delivery_targets(target_id, event_seq)
     SELECT target_id, event_seq FROM deliveries WHERE event_seq > @after AND event_seq <= @through
     ORDER BY target_id, event_seq ON CONFLICT DO NOTHING`,
  ),
});
