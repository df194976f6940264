import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Sessions with their second half, what stands behind them and their last use; login links with who made them. Those of before
 * had none of it: their browsers sign in again. Times are ms since 1970.
 */
export class Sessions1764600000000 implements MigrationInterface {
  name = 'Sessions1764600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE sessions');
    await runner.query(
      `CREATE TABLE sessions(
         id TEXT PRIMARY KEY, token_hash TEXT NOT NULL, secret_hash TEXT NOT NULL, credential TEXT NOT NULL, opened_by TEXT NOT NULL,
         address TEXT NOT NULL, user_agent TEXT, created_at INTEGER NOT NULL, last_used_at INTEGER NOT NULL,
         expires_at INTEGER NOT NULL) WITHOUT ROWID`,
    );
    await runner.query('ALTER TABLE login_links ADD COLUMN credential TEXT');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE login_links DROP COLUMN credential');
    await runner.query('DROP TABLE sessions');
    await runner.query(
      `CREATE TABLE sessions(
         token_hash TEXT PRIMARY KEY, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID`,
    );
  }
}
