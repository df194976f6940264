import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { openPool } from '../../../src/relay/database/postgres/connect';
import { prepared } from '../../../src/relay/database/postgres/postgres-client';
import { openPostgresSource } from '../../../src/relay/database/postgres/open-postgres';
import { NetworkLink } from '../../support/fakes/network-link';
import { runSql, TestPostgres } from '../../support/postgres';
import { until } from '../../support/until';

describe('a connection to PostgreSQL', () => {
  let postgres: TestPostgres;
  let pool: Pool;
  let url: string;

  beforeAll(async () => {
    postgres = await TestPostgres.start();
    url = await postgres.createDatabase();
    pool = openPool(url, 1, { queryTimeoutMs: 300, idleInTransactionMs: 300 });
  });
  afterAll(async () => {
    await pool?.end();
    await postgres?.stop();
  });

  const sessions = (condition: string) =>
    runSql(
      url,
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND ${condition}`,
    );

  it('keeps prepared statements, and passes arrays to them as they are', async () => {
    const numbers = [
      0,
      -1,
      2 ** 31,
      -(2 ** 32) - 1,
      Number.MAX_SAFE_INTEGER,
      Number.MIN_SAFE_INTEGER,
      true,
      null,
    ];
    const limits = [Infinity, -Infinity, '-9223372036854775807'];
    const texts = ['', 'a "b" \\ {c, NULL}', 'NULL', 'äöü €😀', null];
    const bodies = [
      Buffer.alloc(0),
      Buffer.from([0, 255, 92, 34]),
      Buffer.from('window').subarray(1, 3),
      null,
    ];
    const ask = async (values: unknown[]) => {
      const sql = `SELECT $1::bigint[] AS numbers, $2::bigint[]::text AS limits, $3::text[] AS texts, $4::bytea[] AS bodies`;
      return (await pool.query(prepared(sql, values))).rows as unknown[];
    };
    expect(await ask([numbers, limits, texts, bodies])).toEqual([
      {
        numbers: numbers.map((number) => (number === null ? null : String(Number(number)))),
        limits: '{9223372036854775807,-9223372036854775808,-9223372036854775807}',
        texts,
        bodies,
      },
    ]);
    expect(await ask([[], [], ['NUL \0'], []])).toEqual([
      { numbers: [], limits: '{}', texts: ['NUL \uFFFD'], bodies: [] },
    ]);
    const { rows } = await pool.query(prepared('SELECT 1 FROM pg_prepared_statements', []));
    expect(rows).toHaveLength(1);
  });

  it('gives up a statement after its time limit, and so does the server', async () => {
    const others = openPool(url, 1);
    const holder = await others.connect();
    try {
      await holder.query('SELECT pg_advisory_lock(1)');
      await expect(pool.query('SELECT pg_advisory_lock(1)')).rejects.toThrow(/timeout/);
      await until('the server has stopped it', async () => (await sessions(`state = 'active'`)).length === 0);
    } finally {
      holder.release(true);
      await others.end();
    }
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('is ended by the server if it does nothing in a transaction', async () => {
    const client = await pool.connect();
    await client.query('BEGIN');
    await until('the session is ended', async () => (await sessions('true')).length === 0);
    client.release(true);
  });
});

describe('a database whose defaults for sessions change what statements mean', () => {
  /** By setting, the default of the database, and what holds nevertheless. */
  const DEFAULTS = {
    default_transaction_isolation: ['serializable', 'read committed'],
    default_transaction_read_only: ['on', 'off'],
    default_transaction_deferrable: ['on', 'off'],
    synchronous_commit: ['off', 'on'],
    statement_timeout: ['1min', '30s'],
    lock_timeout: ['1min', '0'],
    idle_in_transaction_session_timeout: ['1min', '0'],
    idle_session_timeout: ['1min', '0'],
    transaction_timeout: ['1min', '0'],
    standard_conforming_strings: ['off', 'on'],
    array_nulls: ['off', 'on'],
    plan_cache_mode: ['force_generic_plan', 'force_custom_plan'],
  };
  const SHOW = `SELECT current_setting('transaction_isolation') AS isolation, ${Object.keys(DEFAULTS)
    .map((name) => `current_setting('${name}') AS ${name}`)
    .join()}`;
  const expected = {
    isolation: 'read committed',
    ...Object.fromEntries(Object.entries(DEFAULTS).map(([name, [, holds]]) => [name, holds])),
  };
  let postgres: TestPostgres;
  let url: string;

  beforeAll(async () => {
    postgres = await TestPostgres.start();
    url = await postgres.createDatabase();
    for (const [name, [value]] of Object.entries(DEFAULTS))
      await postgres.admin(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${name} = '${value}'`);
  });
  afterAll(() => postgres?.stop());

  it('has none of them in a session that writes or reads, and keeps a stricter synchronous_commit', async () => {
    const pool = openPool(url, 1);
    const source = await openPostgresSource(url, []);
    try {
      expect((await pool.query(`BEGIN; ${SHOW}`)) as unknown).toMatchObject([{}, { rows: [expected] }]);
      expect(await source.query(SHOW)).toEqual([expected]);
    } finally {
      await source.destroy();
      await pool.end();
    }
    const stricter = openPool(`${url}?options=-c%20synchronous_commit%3Dremote_apply`, 1);
    const { rows } = await stricter.query(SHOW);
    await stricter.end();
    expect(rows).toEqual([{ ...expected, synchronous_commit: 'remote_apply' }]);
  });
});

describe('a source of entities whose connection breaks', () => {
  const FAILED = { code: 'storage_failed', status: 503, remedy: expect.stringContaining('PostgreSQL') };
  let postgres: TestPostgres;
  let url: string;
  let link: NetworkLink;
  let source: DataSource;

  beforeAll(async () => {
    postgres = await TestPostgres.start();
    url = await postgres.createDatabase();
    link = await NetworkLink.start(url);
    source = await openPostgresSource(link.url, []);
  });
  afterAll(async () => {
    await source?.destroy();
    await postgres?.stop();
  });

  it('reports what the server ends as failed storage, and connects anew', async () => {
    const query = source.query('SELECT pg_sleep(60)');
    const ended = expect(query).rejects.toMatchObject({ ...FAILED, cause: '57P01' });
    await until('it runs', async () => {
      const rows = await runSql(
        url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND state = 'active' AND query = 'SELECT pg_sleep(60)'`,
      );
      return rows.length > 0;
    });
    await ended;
    // The pool learns of it a moment later.
    const one = () => source.query<{ one: number }[]>('SELECT 1 AS one').catch(() => []);
    await until('it has connected anew', async () => (await one())[0]?.one === 1);
  });

  it('does not report a faulty statement as failed storage', async () => {
    await expect(source.query('SELECT missing')).rejects.toMatchObject({ code: '42703' });
  });

  it('reports that nothing answers as failed storage', async () => {
    await link.close();
    await expect(source.query('SELECT 1')).rejects.toMatchObject(FAILED);
    const connecting = source.createQueryBuilder().select('1').from('(SELECT 1)', 'one').getRawMany();
    await expect(connecting).rejects.toMatchObject({ ...FAILED, cause: 'ECONNREFUSED' });
  });
});
