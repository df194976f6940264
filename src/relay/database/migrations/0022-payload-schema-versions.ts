import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the payloads of each event type looked like each time they had changed. */
export class PayloadSchemaVersions0000000000022 implements MigrationInterface {
  readonly name = 'PayloadSchemaVersions0000000000022';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE payload_schema_versions(
        type TEXT NOT NULL,
        version INTEGER NOT NULL,
        schema TEXT NOT NULL,
        changes TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        accepted_at INTEGER,
        PRIMARY KEY(type, version)
      ) WITHOUT ROWID`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE payload_schema_versions');
  }
}
