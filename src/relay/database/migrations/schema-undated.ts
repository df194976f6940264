import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Identities that stand under no minute of their own are found by their event, in whose removal they go. Those of our own
 * events, which hold for good, are kept apart from those of notifications without a readable timestamp.
 */
export class Undated1764010000000 implements MigrationInterface {
  name = 'Undated1764010000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `UPDATE identities SET minute = -1 WHERE minute = 0
         AND EXISTS (SELECT 1 FROM events e WHERE e.seq = identities.seq AND e.signature_header = '')`,
    );
    await runner.query(`CREATE INDEX identities_undated ON identities(seq) WHERE minute <= 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX identities_undated');
    await runner.query(`UPDATE identities SET minute = 0 WHERE minute = -1`);
  }
}
