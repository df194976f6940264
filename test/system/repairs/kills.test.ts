import { Daemon } from '../../support/daemon/daemon';
import { postgresEnvironment } from '../../support/daemon/database-environment';
import { FakeCopilot } from '../../support/fakes/copilot';
import { runSql, TestPostgres } from '../../support/postgres';
import { runRepairKills, type RepairStore } from '../../support/runs/repair-kill-run';

const DEALS = Number(process.env['DEALS'] ?? 150);
const KILLS = Number(process.env['KILLS'] ?? 1);

let postgres: TestPostgres | undefined;
let upstream: FakeCopilot;
beforeAll(async () => {
  postgres = await TestPostgres.start();
  upstream = await FakeCopilot.start();
});
afterAll(async () => {
  await upstream?.close();
  await postgres?.stop();
});

const onSqlite = (daemon: Daemon): RepairStore => ({
  rows: (sql) => Promise.resolve(daemon.rows(sql)),
  exec: (sql) => Promise.resolve(daemon.alterDatabase(sql)),
  bytes: (hex) => `x'${hex}'`,
});
const onPostgres = (url: string) => (): RepairStore => ({
  rows: (sql) => runSql(url, sql),
  exec: (sql) => runSql(url, sql),
  bytes: (hex) => `decode('${hex}', 'hex')`,
});

it.each([
  ['SQLite', () => Promise.resolve({ environment: {}, storeOf: onSqlite })],
  [
    'PostgreSQL',
    async () => {
      const url = await postgres!.createMigrated();
      return { environment: postgresEnvironment(url), storeOf: onPostgres(url) };
    },
  ],
])(
  'a repair appends each deal once, though the daemon is killed while it applies it, on %s',
  async (_, open) => {
    const { environment, storeOf } = await open();
    const daemon = await Daemon.start({ upstream, environment });
    try {
      await runRepairKills(daemon, storeOf(daemon), DEALS, KILLS);
    } finally {
      await daemon.close();
    }
  },
);
