import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What makes the books checkable from within: how many targets an event was planned for, and up to where retention has ever
 * removed events, so that a gap behind it is a loss. Then what became of held duplicates, and which targets received them as
 * they came (a JSON list of their numbers). Events stored before count for no target in particular.
 */
export class Ledger1763800100000 implements MigrationInterface {
  name = 'Ledger1763800100000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}

const UP = [
  'ALTER TABLE events ADD COLUMN planned INTEGER',
  'ALTER TABLE hub ADD COLUMN pruned_through INTEGER NOT NULL DEFAULT 0',
  'UPDATE hub SET pruned_through = (SELECT coalesce(max(seq), 0) FROM events)',
  `ALTER TABLE duplicates ADD COLUMN state TEXT NOT NULL DEFAULT 'held'`,
  'ALTER TABLE duplicates ADD COLUMN delivered_to TEXT',
  'CREATE INDEX duplicates_received ON duplicates(received_at)',
];

const DOWN = [
  'DROP INDEX duplicates_received',
  'ALTER TABLE duplicates DROP COLUMN delivered_to',
  'ALTER TABLE duplicates DROP COLUMN state',
  'ALTER TABLE hub DROP COLUMN pruned_through',
  'ALTER TABLE events DROP COLUMN planned',
];
