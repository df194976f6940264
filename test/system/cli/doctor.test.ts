import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ledger, type LedgerRule } from '../../../src/contract/ledger';
import { sqliteDriver } from '../../../src/relay/database/sqlite-driver';
import { Daemon } from '../../support/daemon/daemon';
import { WebhookSender } from '../../support/fakes/webhook-sender';
import { dealNotification } from '../../support/notification';
import { until } from '../../support/until';
import { FakeCopilot } from '../../support/fakes/copilot';
import { WitnessTarget } from '../../support/fakes/witness-target';

const MAIN = resolve(__dirname, '../../../dist/main.js');

let upstream: FakeCopilot;
let target: WitnessTarget;
let daemon: Daemon;
let delivered: number;

interface Ended {
  code: number;
  out: string;
  err: string;
}

/** As a user runs it, with nothing in the environment but what is named. */
function doctor(flags: readonly string[] = [], environment: Record<string, string> = {}): Promise<Ended> {
  const args = [MAIN, 'doctor', '--data-dir', daemon.dataDir, ...flags];
  return new Promise((done) => {
    execFile(
      process.execPath,
      args,
      { cwd: daemon.dataDir, env: { PATH: process.env['PATH'], ...environment } },
      (error, out, err) => done({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });
}

const settings = () => ({
  COPILOT_BASE_URL: upstream.baseUrl,
  COPILOT_CLIENT_ID: upstream.clientId,
  COPILOT_CLIENT_SECRET: upstream.clientSecret,
});

/** Writes into the database beside whoever else does, as no daemon would. */
function alter(sql: string): void {
  const connection = new sqliteDriver(daemon.databaseFile);
  try {
    connection.pragma('busy_timeout = 5000');
    connection.exec(sql.replaceAll('$seq', String(delivered)));
  } finally {
    connection.close();
  }
}

/** The lock in the hands of somebody else. */
function holdLock(): () => void {
  const lock = new sqliteDriver(join(daemon.dataDir, 'lock'));
  lock.pragma('locking_mode = EXCLUSIVE');
  lock.exec('BEGIN EXCLUSIVE');
  return () => lock.close();
}

const NEWER = `INSERT INTO migrations(timestamp, name) VALUES (1, 'Tomorrow')`;
const AS_BEFORE = `DELETE FROM migrations WHERE name = 'Tomorrow'`;

beforeAll(async () => {
  upstream = await FakeCopilot.start();
  target = await WitnessTarget.start();
  daemon = await Daemon.startConnected({ upstream });
  await daemon.addTarget('witness', target.url);
  const client = new WebhookSender(daemon.webhook);
  for (let id = 1; id <= 6; id += 1)
    await client.send(dealNotification({ id, webhookId: daemon.webhook.webhook_id }).body);
  client.close();
  await until('all is delivered', () => target.succeeded.length === 6);
  await until(
    'that is known',
    () => daemon.rows(`SELECT 1 FROM deliveries WHERE state = 'succeeded'`).length === 6,
  );
  const [third] = daemon.rows<{ seq: number }>(
    'SELECT event_seq AS seq FROM deliveries ORDER BY event_seq LIMIT 1 OFFSET 2',
  );
  delivered = third!.seq;
}, 60_000);

afterAll(async () => {
  await daemon?.close();
  await target?.close();
  await upstream?.close();
});

/**
 * What can be wrong with the books of either daemon, how it comes about, how it is undone, and what is said of it. `$seq` is an
 * event that was delivered; some of our own may stand between those.
 */
const DAMAGES: [
  what: string,
  damage: string,
  repair: string,
  rule: LedgerRule,
  said: RegExp,
  remedy: RegExp,
][] = [
  [
    'a live delivery that is missing',
    `CREATE TABLE kept AS SELECT * FROM deliveries WHERE event_seq = $seq; DELETE FROM deliveries WHERE event_seq = $seq;
     CREATE TABLE kept_too AS SELECT * FROM attempts WHERE event_seq = $seq; DELETE FROM attempts WHERE event_seq = $seq`,
    `INSERT INTO deliveries SELECT * FROM kept; INSERT INTO attempts SELECT * FROM kept_too;
     DROP TABLE kept; DROP TABLE kept_too`,
    'event_unplanned',
    /Event \d+ \(evt_\w{26}\): accepted by 1 target, 0 live deliveries there\./,
    /Replay the event/,
  ],
  [
    'an attempt of no delivery',
    `INSERT INTO attempts(event_seq, target_id, n, number, at, duration_ms) VALUES ($seq, 1, 7, 1, 1, 1)`,
    `DELETE FROM attempts WHERE n = 7`,
    'attempt_orphan',
    /Attempt 1 of delivery 7 of event \d+ to "witness" has no delivery\./,
    /nothing is sent or lost/,
  ],
  [
    'attempts that do not add up',
    `UPDATE deliveries SET attempts = 3 WHERE event_seq = $seq`,
    `UPDATE deliveries SET attempts = 1 WHERE event_seq = $seq`,
    'delivery_attempts',
    /Delivery 0 of event \d+ to "witness" \(dlv_\w{26}\) counts 3 attempts, but 1 are stored, the last with number 1\./,
    /the number of attempts left/,
  ],
  [
    'a delivery that nothing will ever send',
    `UPDATE deliveries SET state = 'pending', due_at = 1, settled_at = NULL, class = 7 WHERE event_seq = $seq`,
    `UPDATE deliveries SET state = 'succeeded', due_at = NULL, settled_at = 1, class = 0 WHERE event_seq = $seq`,
    'delivery_state',
    /it is pending, with a due time, open, in no lane, with 1 attempt, of the unknown class 7\./,
    /Retry it/,
  ],
  [
    'an event that is gone from among the others',
    `CREATE TABLE kept AS SELECT * FROM events WHERE seq = $seq; DELETE FROM events WHERE seq = $seq`,
    `INSERT INTO events SELECT * FROM kept; DROP TABLE kept`,
    'event_missing',
    /Event \d+ is missing although retention did not remove it: received between 20\S+Z and 20\S+Z\./,
    /Check in Co-Pilot what changed in that period/,
  ],
];

type Damage = (typeof DAMAGES)[number] extends [string, ...infer Rest] ? Rest : never;

async function expectFound([damage, repair, , said, remedy]: Damage) {
  alter(damage);
  const { code, out, err } = await doctor(['--ledger']);
  alter(repair);
  expect({ code, err }).toEqual({ code: 1, err: '' });
  expect(out).toMatch(/^The data is inconsistent: \d finding/);
  expect(out).toMatch(said);
  expect(out).toMatch(new RegExp(`What to do: .*${remedy.source}`));
  expect(out).toContain('Copy DATA_DIR');
}

async function expectFoundInJson([damage, repair, rule, said, remedy]: Damage) {
  alter(damage);
  const { code, out, err } = await doctor(['--ledger', '--json']);
  alter(repair);
  expect({ code, err }).toEqual({ code: 1, err: '' });
  expect(ledger.parse(JSON.parse(out)).findings).toContainEqual({
    rule,
    sentence: expect.stringMatching(said),
    remedy: expect.stringMatching(remedy),
  });
}

async function expectBalanced() {
  const { code, out, err } = await doctor(['--ledger']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(
    /^The data is consistent: \d+ events, 6 deliveries, 6 attempts and 0 lanes checked\.\n$/,
  );
  expect(JSON.parse((await doctor(['--ledger', '--json'])).out)).toMatchObject({ balanced: true, found: 0 });
}

const NAMES = ['settings', 'DATA_DIR', 'lock', 'disk', 'database', 'daemon'];
const OF_THE_DAEMON = ['clock', 'connection', 'subscription', 'probe', 'targets', 'deliveries', 'alerts'];

describe('doctor, while a daemon runs', () => {
  it('finds nothing wrong with what is well', async () => {
    const { code, out, err } = await doctor([], settings());
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const lines = out.trimEnd().split('\n');
    expect(lines.map((line) => line.split(/ +/, 2))).toEqual(
      [...NAMES, ...OF_THE_DAEMON].map((name) => ['ok', name]),
    );
    const json = await doctor(['--json'], settings());
    expect(json.code).toBe(0);
    expect(JSON.parse(json.out)).toMatchObject({
      healthy: true,
      checks: [...NAMES, ...OF_THE_DAEMON].map((name) => ({ name, ok: true, remedy: null })),
    });
  });

  it('says what is wrong with the settings, and looks at everything else', async () => {
    const { code, out } = await doctor([], { ...settings(), COPILOT_CLIENT_ID: '', PORT: 'some' });
    expect(code).toBe(1);
    expect(out).toMatch(/^problem +settings +PORT is "some"\.\n +Set an integer from 0/);
    expect(out).toMatch(/problem +settings +COPILOT_CLIENT_ID is missing\.\n +Create an application/);
    expect(out).toMatch(/ok +subscription/);
  });

  it('says so where the daemon refuses its token', async () => {
    const { code, out, err } = await doctor([], { ...settings(), SWITCHBOARD_ADMIN_TOKEN: 'x'.repeat(20) });
    expect({ code, err }).toEqual({ code: 1, err: '' });
    for (const name of OF_THE_DAEMON) expect(out).toMatch(new RegExp(`problem +${name} `));
    expect(out).not.toContain('x'.repeat(20));
  });

  it('says so where the webhook could not be checked', async () => {
    upstream.misbehave('PATCH /v1/webhooks/:id', { status: 500 });
    await daemon.request('POST', '/subscription/repair');
    const { code, out } = await doctor([], settings());
    upstream.behave();
    await daemon.request('POST', '/subscription/repair');
    expect(code).toBe(1);
    expect(out).toMatch(/problem +subscription +Registered at Co-Pilot, but the last check failed\./);
  });

  it('says so where the newest event is still to come', async () => {
    alter('UPDATE events SET received_at = received_at + 3600000 WHERE seq = (SELECT max(seq) FROM events)');
    const { code, out } = await doctor([], settings());
    alter('UPDATE events SET received_at = received_at - 3600000 WHERE seq = (SELECT max(seq) FROM events)');
    expect(code).toBe(1);
    expect(out).toMatch(
      /problem +clock +The newest event was received at 20\S+Z, which is in the future\.\n +The system clock/,
    );
  });

  it('says what is missing where nobody has consented yet, and where nothing gets in from outside', async () => {
    const alone = await Daemon.start({ upstream, environment: { PUBLIC_URL: 'http://127.0.0.1:9' } });
    const { code, out } = await doctor(['--data-dir', alone.dataDir], settings());
    await alone.close();
    expect(code).toBe(1);
    expect(out).toMatch(/ok +daemon /);
    expect(out).toMatch(/problem +connection +Switchboard is not connected to Co-Pilot\.\n +Connect/);
    expect(out).toMatch(/problem +subscription +No webhook is registered at Co-Pilot yet/);
    expect(out).toMatch(/problem +probe +\S.*\n +\S/);
  });

  it('has the daemon say that the books balance', expectBalanced);

  it.each(DAMAGES)('finds %s', (_, ...damage) => expectFoundInJson(damage));

  it('finds what is stuck', () => {
    const [, damage, repair] = DAMAGES[3]!;
    return expectFoundInJson([
      damage,
      repair,
      'delivery_stuck',
      /is long overdue, although nothing holds it back/,
      /Restart/,
    ]);
  });
});

describe('doctor, while none runs', () => {
  beforeAll(async () => {
    expect(await daemon.stop()).toBe(0);
  }, 30_000);

  it('says that, and what it cannot know', async () => {
    const { code, out, err } = await doctor([], settings());
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out).toMatch(/ok +lock +Not held: no daemon is running\.\n/);
    expect(out).toMatch(/ok +database /);
    expect(out).toMatch(/problem +daemon +No daemon is running on .*\n +Start the daemon\.\n/);
    for (const name of OF_THE_DAEMON)
      expect(out).toMatch(new RegExp(`unknown +${name} +Can only be checked while the daemon is running\\.`));
  });

  it('checks the books in its place, and needs no settings for it', expectBalanced);

  it.each(DAMAGES)('finds %s', (_, ...damage) => expectFound(damage));

  it('checks them where a daemon was killed and its address is left', async () => {
    await daemon.restart();
    await daemon.kill();
    await expectBalanced();
  });

  const CANNOT = 'The consistency check cannot run:\n';

  it('refuses while somebody else holds the lock', async () => {
    const letGo = holdLock();
    const [books, health] = [await doctor(['--ledger', '--json']), await doctor([], settings())];
    letGo();
    expect(books).toMatchObject({ code: 78, out: '' });
    expect(books.err).toMatch(
      /^The consistency check cannot run:\n {2}DATA_DIR: Another process holds .*\n {4}Wait until it is through/,
    );
    expect(health.code).toBe(1);
    expect(health.out).toMatch(/problem +lock +Another process holds it.*\n +Wait until it has finished/);
  });

  it('refuses a database of a newer version, and leaves it as it is', async () => {
    alter(NEWER);
    const [books, health] = [await doctor(['--ledger']), await doctor([], settings())];
    const names = daemon.rows(`SELECT name FROM migrations WHERE name = 'Tomorrow'`);
    alter(AS_BEFORE);
    expect(names).toHaveLength(1);
    expect(books).toMatchObject({ code: 78, out: '' });
    expect(books.err).toContain(CANNOT);
    expect(books.err).toMatch(
      /was written by a newer Switchboard \(Tomorrow\)\.\n {4}Start the newer version/,
    );
    expect(health.code).toBe(1);
    expect(health.out).toMatch(/problem +database +.*newer Switchboard/);
  });

  it('refuses where there is no database, or none that can be read', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'switchboard-doctor-'));
    try {
      const missing = await doctor(['--ledger', '--data-dir', elsewhere]);
      expect(missing).toMatchObject({ code: 78, out: '' });
      expect(missing.err).toMatch(
        /^The consistency check cannot run:\n {2}DATA_DIR: There is no database .*\n {4}Name/,
      );
      writeFileSync(
        join(elsewhere, 'switchboard.db'),
        'no database at all, though it is long enough for one',
      );
      const broken = await doctor(['--ledger', '--data-dir', elsewhere]);
      expect(broken).toMatchObject({ code: 78, out: '' });
      expect(broken.err).toMatch(/cannot be read as a database \(SQLITE_NOTADB/);
      const health = await doctor(['--data-dir', elsewhere], settings());
      expect(health.code).toBe(1);
      expect(health.out).toMatch(/problem +database +.*SQLITE_NOTADB/);
      const nowhere = await doctor(['--data-dir', join(elsewhere, 'nowhere')], settings());
      expect(nowhere.code).toBe(1);
      expect(nowhere.out).toMatch(/problem +DATA_DIR +.*nowhere does not exist\.\n +Start the daemon/);
      const file = await doctor(['--data-dir', join(elsewhere, 'switchboard.db')], settings());
      expect(file.code).toBe(1);
      expect(file.out).toMatch(
        /problem +DATA_DIR +.* is not a readable and writable folder\.\n +Run the command/,
      );
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
    const postgres = await doctor(['--ledger'], { DATABASE_URL: 'postgres://db/switchboard' });
    expect(postgres).toMatchObject({ code: 78, out: '' });
    expect(postgres.err).toContain('specifies PostgreSQL');
  });
});
