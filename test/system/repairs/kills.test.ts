import { Daemon } from '../../support/daemon/daemon';
import { onPostgres, onSqlite } from '../../support/daemon/daemon-store';
import { FakeCopilot } from '../../support/fakes/copilot';
import { TestPostgres } from '../../support/postgres';
import { runRepairKills } from '../../support/runs/repair-kill-run';

const DEALS = Number(process.env['DEALS'] ?? 150);
const KILLS = Number(process.env['KILLS'] ?? 1);

let postgres: TestPostgres;
let upstream: FakeCopilot;
beforeAll(async () => {
  postgres = await TestPostgres.start();
  upstream = await FakeCopilot.start();
});
afterAll(async () => {
  await upstream?.close();
  await postgres?.stop();
});

it.each([
  ['SQLite', () => Promise.resolve(onSqlite)],
  ['PostgreSQL', () => onPostgres(postgres)],
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
