import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Replays as plans: what to replay, up to which `seq`, and how far it has come. The index finds what of a replay is open; a
 * delivery that belongs to none costs nothing there. `edited_bodies` holds what was sent by hand in place of an event's bytes.
 */
export class Replays1763801000000 implements MigrationInterface {
  name = 'Replays1763801000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}

const UP = [
  'ALTER TABLE replays RENAME TO event_replays',
  `CREATE TABLE replays(
     number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, state TEXT NOT NULL, filter TEXT NOT NULL,
     event_seq INTEGER, target_ids TEXT, rate TEXT NOT NULL, until_seq INTEGER NOT NULL, position INTEGER NOT NULL,
     total INTEGER NOT NULL, estimated INTEGER NOT NULL DEFAULT 0, newest_at INTEGER, events INTEGER NOT NULL DEFAULT 0,
     deliveries INTEGER NOT NULL DEFAULT 0, report TEXT, created_at INTEGER NOT NULL, ended_at INTEGER)`,
  // What they made may be open still: they end as every replay does.
  `INSERT INTO replays(
     id, state, filter, event_seq, target_ids, rate, until_seq, position, total, events, deliveries, created_at)
   SELECT id, 'running', '{}', event_seq, target_ids, '"as_fast_as_allowed"', event_seq, event_seq, 1, 1,
     json_array_length(target_ids), created_at
   FROM event_replays ORDER BY created_at`,
  'DROP TABLE event_replays',
  `CREATE INDEX replays_unfinished ON replays(number) WHERE ended_at IS NULL`,
  `CREATE INDEX deliveries_replay ON deliveries(replay_id, state, target_id) WHERE replay_id IS NOT NULL`,
  `CREATE TABLE edited_bodies(
     event_seq INTEGER NOT NULL, target_id INTEGER NOT NULL, n INTEGER NOT NULL, body BLOB NOT NULL,
     PRIMARY KEY (event_seq, target_id, n)) WITHOUT ROWID`,
];

const DOWN = [
  'DROP TABLE edited_bodies',
  'DROP INDEX deliveries_replay',
  'ALTER TABLE replays RENAME TO replay_plans',
  `CREATE TABLE replays(
     id TEXT PRIMARY KEY, event_seq INTEGER NOT NULL, target_ids TEXT NOT NULL, created_at INTEGER NOT NULL) WITHOUT ROWID`,
  `INSERT INTO replays(id, event_seq, target_ids, created_at)
   SELECT id, event_seq, target_ids, created_at FROM replay_plans WHERE event_seq IS NOT NULL`,
  'DROP TABLE replay_plans',
];
