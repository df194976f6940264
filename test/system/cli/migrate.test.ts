import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockDataDir } from '../../../src/relay/database/sqlite/locks';
import { MIGRATIONS } from '../../../src/relay/database/migrations/migrations';
import { SERVER_MIGRATIONS } from '../../../src/relay/database/postgres/server-migrations';
import { runCommand } from '../../support/daemon/run-command';
import { TestPostgres } from '../../support/postgres';

const ALL = MIGRATIONS.map((Migration) => new Migration().name);
const ON_SERVER = [...ALL, ...SERVER_MIGRATIONS.map(({ name }) => name)];

describe('switchboard migrate', () => {
  let dataDir: string;
  let postgres: TestPostgres;

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'switchboard-migrate-'));
    postgres = await TestPostgres.start();
  });
  afterAll(async () => {
    rmSync(dataDir, { recursive: true });
    await postgres?.stop();
  });

  const migrate = async (environment: Record<string, string> = {}) => {
    const { code, out, err } = await runCommand(dataDir, ['migrate', '--json'], environment);
    return { code, applied: code === 0 ? (JSON.parse(out) as { applied: string[] }).applied : err };
  };

  it('creates the tables in a file, unless a daemon uses it', async () => {
    expect(await migrate()).toEqual({ code: 0, applied: ALL });
    expect(await migrate()).toEqual({ code: 0, applied: [] });
    const unlock = lockDataDir(dataDir);
    expect(await migrate()).toEqual({ code: 78, applied: expect.stringContaining('DATA_DIR') });
    unlock();
  });

  it('creates the tables in PostgreSQL, however many run it', async () => {
    const environment = { DATABASE_URL: await postgres.createDatabase() };
    const results = await Promise.all([migrate(environment), migrate(environment)]);
    expect(results.map(({ applied }) => applied.length).toSorted((a, b) => a - b)).toEqual([
      0,
      ON_SERVER.length,
    ]);
    const other = await migrate({ DATABASE_URL: 'postgres://user:p4ssw0rd@127.0.0.1:1/hub' });
    expect(other).toEqual({ code: 69, applied: expect.stringContaining('ECONNREFUSED') });
    expect(other.applied).not.toContain('p4ssw0rd');
  });
});
