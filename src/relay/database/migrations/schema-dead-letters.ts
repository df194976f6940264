import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many dead letters stand at each target: counted once here, then kept by whoever writes. */
export class DeadLetters1764020000000 implements MigrationInterface {
  name = 'DeadLetters1764020000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE dead_letters(target INTEGER PRIMARY KEY, standing INTEGER NOT NULL)');
    await runner.query(
      `INSERT INTO dead_letters(target, standing)
       SELECT target_id, count(*) FROM deliveries d WHERE state = 'dead' AND NOT EXISTS (
         SELECT 1 FROM deliveries newer
         WHERE newer.event_seq = d.event_seq AND newer.target_id = d.target_id AND newer.n > d.n)
       GROUP BY target_id`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE dead_letters');
  }
}
