import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Outages and what they are found by: one row of the last beat, notifications counted by the quarter of an hour, and what
 * was last told of connection and subscription.
 */
export class Outages1763701000000 implements MigrationInterface {
  name = 'Outages1763701000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE heartbeat(
         id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL, expecting INTEGER NOT NULL)`,
    );
    await runner.query('CREATE TABLE rhythm(quarter INTEGER PRIMARY KEY, notifications INTEGER NOT NULL)');
    await runner.query(
      `CREATE TABLE outages(
         number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, began_at INTEGER NOT NULL,
         ended_at INTEGER, usual_seconds INTEGER, told TEXT, dismissed_at INTEGER)`,
    );
    await runner.query(
      'CREATE TABLE told_states(topic TEXT PRIMARY KEY, state TEXT NOT NULL, number INTEGER NOT NULL) WITHOUT ROWID',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['told_states', 'outages', 'rhythm', 'heartbeat'])
      await runner.query(`DROP TABLE ${table}`);
  }
}
