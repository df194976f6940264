import { existsSync, statSync } from 'node:fs';
import { sqliteDriver } from '../../src/relay/database/sqlite/sqlite-driver';
import { Daemon } from '../support/daemon/daemon';
import { failWritesOf, allowWritesOf } from '../support/file-size-limit';
import { WebhookSender, type AttemptOutcome } from '../support/fakes/webhook-sender';
import { assertBalanced } from '../support/daemon/ledger';
import { dealNotification } from '../support/notification';
import { FakeCopilot } from '../support/fakes/copilot';

const MIB = 1024 * 1024;
/** Above this size the daemon tries to shrink the write-ahead log; it checks every 256 commits. */
const LONG_WAL_BYTES = 64 * MIB;
const COMMITS = 300;

describe('a write-ahead log that a long read keeps from shrinking', () => {
  let upstream: FakeCopilot;
  let daemon: Daemon;
  let client: WebhookSender;
  let reader: InstanceType<typeof sqliteDriver>;
  let created = 0;

  const send = (name?: string) => {
    created += 1;
    const { webhook_id: webhookId } = daemon.webhook;
    return client.send(
      dealNotification({ id: created, webhookId, ...(name !== undefined && { name }) }).body,
    );
  };
  const sendOneByOne = async (): Promise<AttemptOutcome[]> => {
    const responses = [];
    for (let i = 0; i < COMMITS; i += 1) responses.push(await send());
    return responses;
  };

  beforeAll(async () => {
    upstream = await FakeCopilot.start();
    daemon = await Daemon.startConnected({ upstream });
    client = new WebhookSender(daemon.webhook);
    reader = new sqliteDriver(daemon.databaseFile, { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM events').get();
    const long = 'x'.repeat(900 * 1024);
    for (let i = 0; i < 80; i += 1) expect((await send(long)).status).toBe(200);
    expect(statSync(`${daemon.databaseFile}-wal`).size).toBeGreaterThan(LONG_WAL_BYTES);
  }, 120_000);

  afterAll(async () => {
    reader?.close();
    client?.close();
    await daemon?.close();
    await upstream?.close();
  });

  it('does not delay or lose an acknowledgement', async () => {
    const responses = await sendOneByOne();
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(COMMITS);
    expect(
      Math.max(...responses.map(({ sentAt, respondedAt: answeredAt }) => answeredAt - sentAt)),
    ).toBeLessThan(2_000);
  }, 120_000);

  it('does not end the daemon when the disk fails as the read ends, and storing resumes when the disk recovers', async () => {
    failWritesOf(daemon.pid);
    reader.close();
    const during = await sendOneByOne();
    expect(during.map(({ status }) => status)).toEqual(during.map(() => 503));
    allowWritesOf(daemon.pid);
    const after = await sendOneByOne();
    expect(after.filter(({ status }) => status === 200)).toHaveLength(COMMITS);
    expect(daemon.rows('SELECT count(*) AS count FROM events WHERE entity IS NOT NULL')).toEqual([
      { count: 80 + 2 * COMMITS },
    ]);
    await assertBalanced(daemon);
  }, 120_000);

  it('is removed when the daemon stops', async () => {
    expect(await daemon.stop()).toBe(0);
    expect(existsSync(`${daemon.databaseFile}-wal`)).toBe(false);
  }, 60_000);
});
