import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { SnapshotAlertsWorker } from '../../../src/relay/system-events/snapshot-alerts.worker';
import { TestClock } from '../../support/clock';
import { ScratchPostgres } from '../../support/daemon/scratch-postgres';
import { TestPostgres } from '../../support/postgres';

const MINUTE_MS = 60_000;

describe('an alert about old snapshots of the database', () => {
  let postgres: TestPostgres;
  let scratch: ScratchPostgres;
  let source: DataSource;
  const clock = new TestClock();
  let holder: Client;
  let worker: SnapshotAlertsWorker;
  const raised: { type: string; sentence: string; remedy: string; data: object }[] = [];
  const resolved: string[] = [];

  beforeAll(async () => {
    postgres = await TestPostgres.start();
    scratch = await ScratchPostgres.open(postgres);
    source = await scratch.openSource([]);
    const alerts = {
      raise: (alert: never) => raised.push(alert),
      resolve: (type: string) => resolved.push(type),
    };
    worker = new SnapshotAlertsWorker(source, alerts as never, { isShared: true } as never, clock, {
      warn: (fields: object) => raised.push(fields as never),
    } as never);
    holder = new Client({ connectionString: scratch.url, application_name: 'report' });
    await holder.connect();
  });
  afterAll(async () => {
    await holder?.end();
    await source?.destroy();
    await scratch?.remove();
    await postgres?.stop();
  });

  it('is raised once one is held for five minutes, says whose, and ends with it', async () => {
    await holder.query(`BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 'a secret'`);
    await worker.tick();
    clock.move(4 * MINUTE_MS);
    await worker.tick();
    expect(raised).toEqual([]);
    clock.move(MINUTE_MS);
    await worker.tick();
    const pid = (holder as unknown as { processID: number }).processID;
    expect(raised).toEqual([
      expect.objectContaining({
        type: 'relay.database.old_snapshot',
        sentence: expect.stringMatching(`The session ${pid} of "report" \\(user \\w+\\) .* since 20`),
        remedy: expect.stringContaining(`pg_terminate_backend(${pid})`),
      }),
    ]);
    expect(JSON.stringify(raised)).not.toContain('secret');
    resolved.splice(0);
    await holder.query('COMMIT');
    await worker.tick();
    expect(resolved).toEqual(['relay.database.old_snapshot']);
  });

  it('suggests SQL that ends a prepared transaction whatever its name is', async () => {
    raised.splice(0);
    const name = "it's'; DROP TABLE events; --";
    const one = { kind: 'prepared transaction', name, application: null, horizon: '1', since: null };
    const alerts = { raise: (alert: never) => raised.push(alert), resolve: () => undefined };
    const fake = { query: async () => [one] } as never;
    const other = new SnapshotAlertsWorker(
      fake,
      alerts as never,
      { isShared: true } as never,
      clock,
      {} as never,
    );
    await other.tick();
    clock.move(5 * MINUTE_MS);
    await other.tick();
    const quoted = "'it''s''; DROP TABLE events; --'";
    expect(raised[0]!.remedy).toBe(`End it: ROLLBACK PREPARED ${quoted}, or COMMIT PREPARED ${quoted}.`);
  });

  it('is not raised about a session that takes a new one for each statement', async () => {
    raised.splice(0);
    for (let minute = 0; minute < 6; minute += 1) {
      await scratch.exec('UPDATE instance SET tag = tag');
      await holder.query('SELECT 1');
      await worker.tick();
      clock.move(MINUTE_MS);
    }
    expect(raised).toEqual([]);
  });
});
