import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { sqliteDriver } from '../../../src/relay/database/sqlite-driver';
import { Daemon } from '../../support/daemon/daemon';
import { WebhookSender } from '../../support/fakes/webhook-sender';
import { assertBalanced } from '../../support/daemon/ledger';
import { RetryingSender } from '../../support/fakes/retrying-sender';
import { FakeCopilot } from '../../support/fakes/copilot';
import { WitnessTarget } from '../../support/fakes/witness-target';

const PER_SECOND = 50;
/** Makes the copy slow enough for notifications to arrive meanwhile. */
const BALLAST = `CREATE TABLE ballast(bytes);
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
  INSERT INTO ballast SELECT zeroblob(1000000) FROM n`;
const DRIVER = resolve(__dirname, '../../../dist/relay/database/sqlite-driver.js');
const OPERATIONS = resolve(__dirname, '../../../docs/operations.md');
/** The statement that the documentation gives. */
const [, STATEMENT] = /"(VACUUM INTO) '[^']+'"/.exec(readFileSync(OPERATIONS, 'utf8')) ?? [];

/** Runs SQL in a separate process, as an operator would. */
const runSql = (file: string, sql: string) =>
  promisify(execFile)(process.execPath, [
    '-e',
    `const { sqliteDriver } = require(${JSON.stringify(DRIVER)});
     new sqliteDriver(${JSON.stringify(file)}, { readonly: true }).exec(${JSON.stringify(sql)})`,
  ]);

describe('the documented online backup', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-backup-'));
  const copy = join(folder, 'copy.db');
  let upstream: FakeCopilot;
  let target: WitnessTarget;
  let daemon: Daemon;
  let sender: RetryingSender;
  let client: WebhookSender;

  beforeAll(async () => {
    upstream = await FakeCopilot.start();
    target = await WitnessTarget.start();
    daemon = await Daemon.startConnected({ upstream });
    await daemon.stop();
    daemon.alterDatabase(BALLAST);
    await daemon.restart();
    await daemon.addTarget('witness', target.url);
    client = new WebhookSender(daemon.webhook);
    sender = new RetryingSender(client, PER_SECOND, daemon.webhook.webhook_id);
    sender.start();
    await sender.waitForAcknowledged(4 * PER_SECOND, 30_000);
  }, 60_000);

  afterAll(async () => {
    sender?.cancel();
    client?.close();
    await daemon?.close();
    await target?.close();
    await upstream?.close();
    rmSync(folder, { recursive: true });
  });

  it('completes under traffic, and contains everything that was acknowledged before it started', async () => {
    const before = sender.acknowledged.map(({ acknowledgement }) => acknowledgement!.id!);
    const startedAt = Date.now();
    await runSql(daemon.databaseFile, `${STATEMENT} '${copy}'`);
    const endedAt = Date.now();
    await sender.waitForAcknowledged(PER_SECOND, 30_000);
    sender.stop();
    await sender.waitUntilFinished(30_000);
    const meanwhile = sender.acknowledged.filter(
      ({ acknowledgement }) => acknowledgement!.sentAt > startedAt && acknowledgement!.respondedAt < endedAt,
    );
    expect(meanwhile.length).toBeGreaterThan(10);
    expect(endedAt - startedAt).toBeLessThan(20_000);
    expect(sender.notifications.filter(({ attempts }) => attempts.length > 1)).toEqual([]);

    const token = readFileSync(join(daemon.dataDir, 'admin.token'), 'utf8').trim();
    const key = readFileSync(join(daemon.dataDir, 'secret.key'), 'utf8').trim();
    expect(await daemon.stop()).toBe(0);
    const restored = await Daemon.start({
      upstream,
      environment: {
        DATABASE_URL: `sqlite:${copy}`,
        SWITCHBOARD_SECRET_KEY: key,
        SWITCHBOARD_ADMIN_TOKEN: token,
        PUBLIC_URL: daemon.url,
      },
    });
    try {
      await assertBalanced({ url: restored.url, token });
      const stored = new sqliteDriver(copy, { readonly: true });
      expect(stored.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }]);
      stored.close();
      for (const id of before) {
        const response = await fetch(`${restored.url}/api/v1/events/${id}`, {
          headers: { authorization: `Bearer ${token}` },
        });
        expect({ id, status: response.status }).toEqual({ id, status: 200 });
      }
    } finally {
      await restored.close();
    }
  }, 60_000);
});
