import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Targets whose deliveries the router creates, from which event on; how far it is, and how many deliveries of an event
 * it has created.
 */
export class Router0000000000029 implements MigrationInterface {
  readonly name = 'Router0000000000029';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE targets ADD COLUMN routing TEXT');
    await runner.query('ALTER TABLE targets ADD COLUMN routed_from INTEGER');
    await runner.query(
      'CREATE TABLE router(id INTEGER PRIMARY KEY CHECK (id = 1), position INTEGER NOT NULL)',
    );
    await runner.query('CREATE TABLE routed(event_seq INTEGER PRIMARY KEY, count INTEGER NOT NULL)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE routed');
    await runner.query('DROP TABLE router');
    await runner.query('ALTER TABLE targets DROP COLUMN routed_from');
    await runner.query('ALTER TABLE targets DROP COLUMN routing');
  }
}
