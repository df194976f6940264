import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How attempts failed, counted by the minute for each target: `error` as deliveries are filtered by it, the status that was
 * answered or why there was none. Beside the traffic counts and not in them: what succeeds writes nothing here. What is
 * stored already is counted into minutes, however old: the upkeep makes hours of them.
 */
export class Errors1763920000000 implements MigrationInterface {
  name = 'Errors1763920000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const unit of UNITS) {
      await runner.query(
        `CREATE TABLE error_${unit}s(
           ${unit} INTEGER NOT NULL, target INTEGER NOT NULL, error TEXT NOT NULL, attempts INTEGER NOT NULL,
           latest_at INTEGER NOT NULL, PRIMARY KEY (${unit}, target, error)) WITHOUT ROWID`,
      );
    }
    await runner.query(
      `INSERT INTO error_minutes(minute, target, error, attempts, latest_at)
       SELECT (at + duration_ms) / 60000, target_id, iif(error = 'http_status', CAST(status AS TEXT), error), count(*),
         max(at + duration_ms)
       FROM attempts WHERE error IS NOT NULL GROUP BY 1, 2, 3`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const unit of UNITS) await runner.query(`DROP TABLE error_${unit}s`);
  }
}

const UNITS = ['minute', 'hour'];
