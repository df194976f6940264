import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The identities of the newest events, in order of arrival. A hash is a scattered key: in `identities` each would
 * cost a page of the write-ahead log, so they are moved there in sorted passes, with the search indexes.
 */
export class RecentIdentities0000000000006 implements MigrationInterface {
  name = 'RecentIdentities0000000000006';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE TABLE recent_identities(seq INTEGER PRIMARY KEY, minute INTEGER NOT NULL, hash BLOB NOT NULL)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `INSERT INTO identities(minute, hash, seq) SELECT minute, hash, seq FROM recent_identities WHERE true ORDER BY seq
       ON CONFLICT DO UPDATE SET seq = excluded.seq`,
    );
    await runner.query('DROP TABLE recent_identities');
  }
}
