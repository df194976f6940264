import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the payloads of each event type look like, learned from the events up to a position. */
export class PayloadSchemas0000000000020 implements MigrationInterface {
  readonly name = 'PayloadSchemas0000000000020';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE TABLE payload_schemas(type TEXT PRIMARY KEY, schema TEXT NOT NULL) WITHOUT ROWID',
    );
    await runner.query('CREATE TABLE schema_position(id INTEGER PRIMARY KEY, seq INTEGER NOT NULL)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE payload_schemas');
    await runner.query('DROP TABLE schema_position');
  }
}
