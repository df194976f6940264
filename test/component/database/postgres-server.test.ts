import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { preparePostgres } from '../../../src/relay/database/postgres/prepare-postgres';
import { freePort } from '../../support/free-port';
import { runSql, TestPostgres } from '../../support/postgres';
import { until } from '../../support/until';

async function errorsOf(url: string): Promise<string[]> {
  try {
    await preparePostgres(url);
  } catch (error) {
    const { errors } = error as { errors: { where: string; what: string; remedy: string }[] };
    return errors.map(({ where, what }) => `${where}: ${what}`);
  }
  return [];
}

describe('preparing a database in PostgreSQL', () => {
  let postgres: TestPostgres;

  beforeAll(async () => {
    postgres = await TestPostgres.start();
  });
  afterAll(() => postgres?.stop());

  /** @returns the address of a database for a role that owns nothing, which is called like it */
  const asRole = async (name: string, grants: (database: string) => string[]) => {
    const url = new URL(await postgres.createDatabase());
    const database = url.pathname.slice(1);
    await runSql(url.href, `DROP ROLE IF EXISTS ${name}`);
    await runSql(url.href, `CREATE ROLE ${name} LOGIN PASSWORD 'p4ssw0rd'`);
    for (const sql of grants(database)) await runSql(url.href, sql);
    url.username = name;
    url.password = 'p4ssw0rd';
    return url.href;
  };

  it('creates the tables once, even if several daemons start at once', async () => {
    const url = await postgres.createDatabase();
    const prepared = await Promise.all([1, 2, 3].map(() => preparePostgres(url)));
    expect(prepared.filter(({ applied }) => applied.length > 0)).toHaveLength(1);
    expect(await runSql(url, 'SELECT seq FROM last_event')).toEqual([{ seq: '0' }]);
  });

  it('needs a role without privileges beyond its schema', async () => {
    const url = await asRole('modest', () => ['GRANT CREATE ON SCHEMA public TO modest']);
    expect(await errorsOf(url)).toEqual([]);
  });

  it('says which privileges are missing', async () => {
    const url = await asRole('poor', (database) => [`REVOKE TEMPORARY ON DATABASE ${database} FROM PUBLIC`]);
    expect(await errorsOf(url)).toEqual([
      'DATABASE_URL: The role poor may not create tables in the schema public.',
      expect.stringMatching(
        /^DATABASE_URL: The role poor may not create temporary tables in the database \w+\.$/,
      ),
    ]);
  });

  it('rejects a database that cannot hold every text', async () => {
    const url = await postgres.createDatabase(
      `ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`,
    );
    expect(await errorsOf(url)).toEqual([
      expect.stringMatching(/encoding LATIN1, which cannot hold every text/),
    ]);
  });

  it('rejects synchronous_commit = off, whether the address, the database or the role sets it', async () => {
    const off = [
      'DATABASE_URL: synchronous_commit is off: a crash of the server would lose events that were acknowledged.',
    ];
    const url = new URL(await postgres.createDatabase());
    await postgres.admin(`ALTER DATABASE ${url.pathname.slice(1)} SET synchronous_commit = off`);
    expect(await errorsOf(url.href)).toEqual(off);
    url.searchParams.set('options', '-c synchronous_commit=on');
    expect(await errorsOf(url.href)).toEqual([]);
    url.searchParams.set('options', '-c synchronous_commit=off');
    expect(await errorsOf(url.href)).toEqual(off);
    const asHasty = await asRole('hasty', () => [
      'GRANT CREATE ON SCHEMA public TO hasty',
      'ALTER ROLE hasty SET synchronous_commit = off',
    ]);
    expect(await errorsOf(asHasty)).toEqual(off);
  });

  it('rejects a role for which triggers do not run', async () => {
    const url = new URL(await postgres.createDatabase());
    url.searchParams.set('options', '-c session_replication_role=replica');
    expect(await errorsOf(url.href)).toEqual([
      'DATABASE_URL: session_replication_role is replica: no trigger runs, so daemons would not learn of changes.',
    ]);
  });

  it('rejects a server older than version 15', async () => {
    const url = new URL(await postgres.createDatabase());
    // The server answers the check itself, through a function that hides its own.
    await runSql(
      url.href,
      `CREATE FUNCTION public.current_setting(name text) RETURNS text LANGUAGE sql AS $$ SELECT CASE name
         WHEN 'server_version_num' THEN '140019' WHEN 'server_version' THEN '14.19'
         ELSE pg_catalog.current_setting(name) END $$`,
    );
    url.searchParams.set('options', '-c search_path=public,pg_catalog');
    expect(await errorsOf(url.href)).toEqual([
      'DATABASE_URL: The server is PostgreSQL 14.19; at least version 15 is required.',
    ]);
  });

  it('rejects the tables of a newer version', async () => {
    const url = await postgres.createMigrated();
    await runSql(url, `INSERT INTO migrations(timestamp, name) VALUES (9, 'Later0000000000009')`);
    expect(await errorsOf(url)).toEqual([expect.stringMatching(/was written by a newer Switchboard/)]);
    await runSql(url, `UPDATE instance SET version = '99.1.0'`);
    expect(await errorsOf(url)).toEqual([
      expect.stringMatching(/was written by Switchboard 99\.1\.0, which/),
    ]);
  });

  it('says that nothing answers, or whatever else keeps it from connecting, without the password', async () => {
    const closed = `postgres://user:p4ssw0rd@127.0.0.1:${await freePort()}/hub`;
    expect(await errorsOf(closed)).toEqual([
      expect.stringMatching(
        /^DATABASE_URL: PostgreSQL at 127\.0\.0\.1:\d+\/hub cannot be used \(ECONNREFUSED/,
      ),
    ]);
    const other = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(
      0,
      '127.0.0.1',
    );
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const errors = await errorsOf(`postgres://user:p4ssw0rd@127.0.0.1:${port}/hub`);
    other.close();
    expect(errors).toHaveLength(1);
    expect(errors.join()).not.toContain('p4ssw0rd');
    const missing = new URL(await postgres.createDatabase());
    missing.pathname = '/missing';
    expect(await errorsOf(missing.href)).toEqual([expect.stringMatching(/"missing" does not exist/)]);
  });
});

describe('preparing a database on a server that is set up otherwise', () => {
  let postgres: TestPostgres;
  let url: string;

  /** Writes a file of the server, as the user that it runs as. @param path SQL */
  const writeFile = (path: string, ...lines: string[]) =>
    runSql(
      url,
      `DO $$ BEGIN EXECUTE format('COPY (SELECT unnest(%L::text[])) TO %L', '{${lines.join()}}', ${path}); END $$`,
    );

  beforeAll(async () => {
    postgres = await TestPostgres.startOwn();
    url = await postgres.createDatabase();
  });
  afterAll(() => postgres?.stop());

  it('rejects fsync = off', async () => {
    await runSql(url, 'ALTER SYSTEM SET fsync = off');
    await runSql(url, 'SELECT pg_reload_conf()');
    await until('the server has read it', async () => {
      const [row] = await runSql<{ fsync: string }>(url, 'SHOW fsync');
      return row!.fsync === 'off';
    });
    expect(await errorsOf(url)).toEqual([
      'DATABASE_URL: fsync is off: a crash of its machine would lose events that were acknowledged, or damage the database.',
    ]);
    await runSql(url, 'ALTER SYSTEM RESET fsync');
  });

  it('says that the password is wrong, without it', async () => {
    await runSql(url, `CREATE ROLE guarded LOGIN PASSWORD 'right'`);
    const file = `current_setting('hba_file')`;
    await writeFile(file, 'host all guarded all scram-sha-256', 'host all all all trust');
    await runSql(url, 'SELECT pg_reload_conf()');
    const guarded = new URL(url);
    guarded.username = 'guarded';
    guarded.password = 'wr0ng';
    const wrong = /cannot be used \(28P01: password authentication failed for user "guarded"\)/;
    let errors: string[] = [];
    await until('the server asks for a password', async () =>
      (errors = await errorsOf(guarded.href)).some((one) => wrong.test(one)),
    );
    expect(errors).toEqual([expect.not.stringContaining('wr0ng')]);
  });

  it('rejects a standby', async () => {
    await writeFile(`current_setting('data_directory') || '/standby.signal'`);
    await postgres.own.stop();
    await postgres.own.start();
    expect(await errorsOf(url)).toEqual(['DATABASE_URL: The server is a standby, which accepts no changes.']);
  });
});
