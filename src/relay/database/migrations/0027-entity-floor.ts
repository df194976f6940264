import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The last states of the entities of which retention has removed events. `origin`: `event`, or `baseline` if it was
 * read at Co-Pilot. Of a baseline, the body has only `data`. Before `floor_through` states are not known; of what has
 * changed since `floor_since`, in ms since 1970, the state is. Null: since the first event.
 */
export class EntityFloor0000000000027 implements MigrationInterface {
  readonly name = 'EntityFloor0000000000027';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE entity_floor(
         entity TEXT PRIMARY KEY,
         seq INTEGER NOT NULL,
         received_at INTEGER NOT NULL,
         version INTEGER,
         type TEXT NOT NULL,
         name TEXT,
         origin TEXT NOT NULL,
         body BLOB NOT NULL) WITHOUT ROWID`,
    );
    await runner.query('ALTER TABLE instance ADD COLUMN floor_through INTEGER NOT NULL DEFAULT 0');
    await runner.query('ALTER TABLE instance ADD COLUMN floor_since INTEGER');
    await runner.query(
      `UPDATE instance SET floor_through = pruned_through, floor_since =
         (SELECT received_at FROM events WHERE seq > pruned_through ORDER BY seq LIMIT 1) WHERE pruned_through > 0`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE instance DROP COLUMN floor_since');
    await runner.query('ALTER TABLE instance DROP COLUMN floor_through');
    await runner.query('DROP TABLE entity_floor');
  }
}
