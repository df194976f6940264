import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What happened, counted by the minute and for each target; the row of target 0 counts everything, and says that the hub
 * was running. Keyed by time first, so that what is counted now lies on one page. Minutes past a day become hours.
 */
export class Traffic1763910000000 implements MigrationInterface {
  name = 'Traffic1763910000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const unit of UNITS) {
      await runner.query(
        `CREATE TABLE traffic_${unit}s(
           ${unit} INTEGER NOT NULL, target INTEGER NOT NULL, events INTEGER NOT NULL, delivered INTEGER NOT NULL,
           failed INTEGER NOT NULL, died INTEGER NOT NULL, PRIMARY KEY (${unit}, target)) WITHOUT ROWID`,
      );
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const unit of UNITS) await runner.query(`DROP TABLE traffic_${unit}s`);
  }
}

const UNITS = ['minute', 'hour'];
