import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the code of a consent was sent to be exchanged; found set at start, the exchange was interrupted. */
export class ConsentExchanges1763700000000 implements MigrationInterface {
  name = 'ConsentExchanges1763700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE consents ADD COLUMN exchanging_since INTEGER');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE consents DROP COLUMN exchanging_since');
  }
}
