import { onPostgres, onSqlite } from '../support/daemon/daemon-store';
import { TestPostgres } from '../support/postgres';
import { runErasure, type EraseFindings } from '../support/runs/erase-run';
import { report } from '../support/runs/report';

const KILLS = Number(process.env['KILLS'] ?? 20);
const EVENTS = Number(process.env['EVENTS'] ?? 20_000);
/** On PostgreSQL, nobody leads after a kill until the lease has run out. */
const WITHIN_MS = 2_400_000;

let postgres: TestPostgres;
beforeAll(async () => (postgres = await TestPostgres.start()));
afterAll(() => postgres?.stop());

describe.each([
  ['SQLite', () => Promise.resolve(onSqlite)],
  ['PostgreSQL', () => onPostgres(postgres)],
])(`the erasure of ${EVENTS} events under load, killed at random moments, on %s`, (engine, open) => {
  let found: EraseFindings;
  beforeAll(async () => {
    const plan = { events: EVENTS, kills: KILLS, withinMs: 1_500, perSecond: 50 };
    const startedAt = performance.now();
    found = await runErasure(plan, await open());
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    report(
      `${engine}: killed ${KILLS} times, ${found.killedWhileErasing} of them while erasing; ${found.acknowledged} acknowledged; ${seconds} s`,
    );
  }, WITHIN_MS);

  it('completes, and leaves nothing legible', () => {
    expect(found.erasure).toMatchObject({ state: 'done', events: EVENTS });
    expect(found.killedWhileErasing).toBeGreaterThan(0);
    expect(found.isLegible).toEqual([true, false]);
  });

  it('loses nothing that was acknowledged', () => {
    expect(found.acknowledged).toBeGreaterThan(100);
    expect(found.lost).toBe(0);
  });
});
