import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What was erased: `erased_events` has a row for each event, since a column of `events` would lie behind `body`, whose
 * overflow pages every read of it had to follow.
 */
export class Erasures0000000000026 implements MigrationInterface {
  readonly name = 'Erasures0000000000026';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE erasures(
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        event_seq INTEGER,                 -- of a single event
        entity TEXT,                       -- otherwise of all events of this entity
        mentions TEXT,                     -- JSON: and those whose payload meets this filter; null once they are erased
        until_seq INTEGER NOT NULL,
        reason TEXT NOT NULL,
        requested_by TEXT NOT NULL,        -- JSON: as the actor of the audit log
        state TEXT NOT NULL,
        total INTEGER NOT NULL,
        position INTEGER NOT NULL DEFAULT 0, -- mentions were looked for up to this seq
        events INTEGER NOT NULL DEFAULT 0,
        cancelled INTEGER NOT NULL DEFAULT 0,
        created_at INTEGER NOT NULL,
        erased_at INTEGER,                 -- when the last event was erased
        ended_at INTEGER
      )`,
    );
    await runner.query(
      `CREATE TABLE erased_events(
        seq INTEGER PRIMARY KEY,
        erasure INTEGER NOT NULL,
        erased_at INTEGER NOT NULL,
        size INTEGER NOT NULL              -- of the body, in bytes
      )`,
    );
    await runner.query('CREATE INDEX erased_events_erasure ON erased_events(erasure, seq)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE erased_events');
    await runner.query('DROP TABLE erasures');
  }
}
