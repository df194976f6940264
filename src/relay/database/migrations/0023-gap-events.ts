import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where an outage lies in the order of events. */
export class GapEvents0000000000023 implements MigrationInterface {
  readonly name = 'GapEvents0000000000023';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE outages ADD COLUMN after_seq INTEGER');
    await runner.query('ALTER TABLE outages ADD COLUMN gap_event_id TEXT');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE outages DROP COLUMN gap_event_id');
    await runner.query('ALTER TABLE outages DROP COLUMN after_seq');
  }
}
