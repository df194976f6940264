import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the attempts whose `$previous` is erased: their excerpts may quote it. */
export class IndexOfPrevious0000000000032 implements MigrationInterface {
  readonly name = 'IndexOfPrevious0000000000032';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX attempts_previous ON attempts(previous) WHERE previous > 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX attempts_previous');
  }
}
