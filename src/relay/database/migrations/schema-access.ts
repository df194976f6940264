import type { MigrationInterface, QueryRunner } from 'typeorm';

/** API tokens, by the hash of their secret, and the audit log. Times are ms since 1970; `scopes` and `fields` are JSON lists. */
export class Access1763900000000 implements MigrationInterface {
  name = 'Access1763900000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE api_tokens(
         number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
         token_hash TEXT NOT NULL UNIQUE, hint TEXT NOT NULL, scopes TEXT NOT NULL, created_at INTEGER NOT NULL,
         expires_at INTEGER, last_used_at INTEGER, revoked_at INTEGER)`,
    );
    await runner.query(
      `CREATE TABLE audit(
         number INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, actor TEXT NOT NULL, actor_id TEXT, actor_name TEXT,
         action TEXT NOT NULL, subject_id TEXT, subject_name TEXT, fields TEXT NOT NULL, secret_shown INTEGER NOT NULL,
         address TEXT, error TEXT)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['audit', 'api_tokens']) await runner.query(`DROP TABLE ${table}`);
  }
}
