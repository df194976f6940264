import type { MigrationInterface, QueryRunner } from 'typeorm';
import { GAP_EVENT } from '../../../contract/constants';

/** Where an outage lies in the order of events, and the few events that mark such places. */
export class GapEvents0000000000023 implements MigrationInterface {
  readonly name = 'GapEvents0000000000023';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE outages ADD COLUMN after_seq INTEGER');
    await runner.query('ALTER TABLE outages ADD COLUMN gap_event_id TEXT');
    await runner.query(`CREATE INDEX events_gaps ON events(seq) WHERE type = '${GAP_EVENT}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX events_gaps');
    await runner.query('ALTER TABLE outages DROP COLUMN gap_event_id');
    await runner.query('ALTER TABLE outages DROP COLUMN after_seq');
  }
}
