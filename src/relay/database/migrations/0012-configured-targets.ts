import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The targets that entries of SWITCHBOARD_TARGETS have created, by the names of the entries: each is created once. */
export class ConfiguredTargets0000000000012 implements MigrationInterface {
  readonly name = 'ConfiguredTargets0000000000012';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE TABLE configured_targets(name TEXT PRIMARY KEY, target_id TEXT NOT NULL) WITHOUT ROWID',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE configured_targets');
  }
}
