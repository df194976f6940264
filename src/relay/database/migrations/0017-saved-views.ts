import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The names of what the dashboard shows. */
export class SavedViews0000000000017 implements MigrationInterface {
  readonly name = 'SavedViews0000000000017';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE saved_views(
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        address TEXT NOT NULL,
        pinned INTEGER NOT NULL
      ) WITHOUT ROWID`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE saved_views');
  }
}
