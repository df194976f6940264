import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The earlier versions of the expressions of targets; `name` is that of the target then. */
export class TargetTransforms0000000000025 implements MigrationInterface {
  readonly name = 'TargetTransforms0000000000025';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE target_transforms(
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        target INTEGER NOT NULL,
        version INTEGER NOT NULL,
        name TEXT NOT NULL,
        language TEXT NOT NULL,
        expression TEXT NOT NULL,
        content_type TEXT NOT NULL,
        replaced_at INTEGER NOT NULL,
        UNIQUE(target, version)
      )`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE target_transforms');
  }
}
