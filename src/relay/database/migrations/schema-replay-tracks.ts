import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far a replay has come with each target that does not keep up with the others. The index finds what has still to come to events. */
export class ReplayTracks1764130000000 implements MigrationInterface {
  name = 'ReplayTracks1764130000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE replays ADD COLUMN tracks TEXT');
    await runner.query(
      'CREATE INDEX replays_unplanned ON replays(number) WHERE ended_at IS NULL AND (position < until_seq OR until_seq = -1)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX replays_unplanned');
    await runner.query('ALTER TABLE replays DROP COLUMN tracks');
  }
}
