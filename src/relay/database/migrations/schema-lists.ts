import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What lists read instead of all deliveries. `deliveries_failed` has those that are not as they should be, by target and state:
 * what succeeds at once never comes into it. `delivery_targets` says which events a target has deliveries of; like the
 * indexes of types and entities it is filled in sorted passes behind the events, so that their way costs nothing.
 */
export class Lists1764400000000 implements MigrationInterface {
  name = 'Lists1764400000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}

const UP = [
  `CREATE INDEX deliveries_failed ON deliveries(target_id, state, event_seq, n, last_error, last_status)
     WHERE state IN ('retrying', 'dead', 'cancelled')`,
  `CREATE TABLE delivery_targets(
     target_id INTEGER NOT NULL, event_seq INTEGER NOT NULL, PRIMARY KEY (target_id, event_seq)) WITHOUT ROWID`,
  `INSERT INTO delivery_targets(target_id, event_seq) SELECT DISTINCT target_id, event_seq FROM deliveries ORDER BY 1, 2`,
  'CREATE INDEX duplicates_state ON duplicates(state, received_at)',
];

const DOWN = ['DROP INDEX duplicates_state', 'DROP TABLE delivery_targets', 'DROP INDEX deliveries_failed'];
