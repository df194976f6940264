import { FakeCopilot } from '../../support/fakes/copilot';
import { WitnessTarget } from '../../support/fakes/witness-target';
import { Daemon } from '../../support/daemon/daemon';
import { runInProcess } from '../../support/daemon/run-in-process';
import { join } from 'node:path';
import { runJson, runCommand } from '../../support/daemon/run-command';
import { ledger } from '../../../src/contract/ledger';
import { mkdtempSync, writeFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import {
  ADD_NEWER,
  alterDatabase,
  deliverSix,
  holdLock,
  DAEMON_CHECKS,
  type Damage,
  INCONSISTENCIES,
  LOCAL_CHECKS,
  REMOVE_NEWER,
} from './inconsistencies';

let upstream: FakeCopilot;
let target: WitnessTarget;
let daemon: Daemon;
let delivered: number;

const doctor = (flags: readonly string[] = [], environment: Record<string, string> = {}) =>
  runInProcess(['doctor', '--data-dir', daemon.dataDir, ...flags], environment);

const settings = () => ({
  COPILOT_BASE_URL: upstream.baseUrl,
  COPILOT_CLIENT_ID: upstream.clientId,
  COPILOT_CLIENT_SECRET: upstream.clientSecret,
});

const alter = (sql: string) => alterDatabase(daemon.databaseFile, sql.replaceAll('$seq', String(delivered)));

beforeAll(async () => {
  upstream = await FakeCopilot.start();
  target = await WitnessTarget.start();
  daemon = await Daemon.startConnected({ upstream });
  delivered = await deliverSix(daemon, target);
  await runJson(daemon.dataDir, 'backup', join(daemon.dataDir, 'backup.db'));
});

afterAll(async () => {
  await daemon?.close();
  await target?.close();
  await upstream?.close();
});

async function expectFound([damage, repair, , sentence, remedy]: Damage) {
  alter(damage);
  const { code, out, err } = await doctor(['--ledger']);
  alter(repair);
  expect({ code, err }).toEqual({ code: 1, err: '' });
  expect(out).toMatch(/^The data is inconsistent: \d finding/);
  expect(out).toMatch(sentence);
  expect(out).toMatch(new RegExp(`What to do: .*${remedy.source}`));
  expect(out).toContain('Copy DATA_DIR');
}

async function expectFoundInJson([damage, repair, rule, sentence, remedy]: Damage) {
  alter(damage);
  const { code, out, err } = await doctor(['--ledger', '--json']);
  alter(repair);
  expect({ code, err }).toEqual({ code: 1, err: '' });
  expect(ledger.parse(JSON.parse(out)).findings).toContainEqual({
    rule,
    sentence: expect.stringMatching(sentence),
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

describe('doctor, while a daemon runs', () => {
  it('finds no problem in a healthy installation', async () => {
    const { code, out, err } = await doctor([], settings());
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const lines = out.trimEnd().split('\n');
    expect(lines.map((line) => line.split(/ +/, 2))).toEqual(
      [...LOCAL_CHECKS, ...DAEMON_CHECKS].map((name) => ['ok', name]),
    );
    expect(out).not.toContain('text index');
    // As a user does.
    const json = await runCommand(daemon.dataDir, ['doctor', '--json'], settings());
    expect(json.code).toBe(0);
    expect(JSON.parse(json.out)).toMatchObject({
      healthy: true,
      checks: [...LOCAL_CHECKS, ...DAEMON_CHECKS].map((name) => ({ name, ok: true, remedy: null })),
    });
  });

  it('does not report the settings of a service manager as missing, which it cannot see', async () => {
    const { code, out } = await doctor();
    expect(code).toBe(0);
    expect(out).toMatch(/^unknown +settings +This command was not given the settings of the daemon/m);
  });

  it('reports invalid settings, and still checks everything else', async () => {
    const { code, out } = await doctor([], { ...settings(), COPILOT_CLIENT_ID: '', PORT: 'some' });
    expect(code).toBe(1);
    expect(out).toMatch(/^problem +settings +PORT is "some"\.\n +Set an integer from 0/m);
    expect(out).toMatch(/problem +settings +COPILOT_CLIENT_ID is missing\.\n +Create an application/);
    expect(out).toMatch(/ok +subscription/);
    const doubtful = await doctor([], { ...settings(), SWITCHBOARD_RETENTION_DAY: '5' });
    expect(doubtful.code).toBe(1);
    expect(doubtful.out).toMatch(
      /^problem +settings +SWITCHBOARD_RETENTION_DAY is not.* SWITCHBOARD_RETENTION_DAYS\./m,
    );
  });

  it('reports that the daemon rejects its token', async () => {
    const rejected = { ...settings(), SWITCHBOARD_ADMIN_TOKEN: 'x'.repeat(20) };
    const { code, out, err } = await runCommand(daemon.dataDir, ['doctor'], rejected);
    expect({ code, err }).toEqual({ code: 1, err: '' });
    for (const name of DAEMON_CHECKS) expect(out).toMatch(new RegExp(`problem +${name} `));
    expect(out).not.toContain('x'.repeat(20));
  });

  it('reports that the webhook could not be checked', async () => {
    upstream.misbehave('PATCH /v1/webhooks/:id', { status: 500 });
    await daemon.request('POST', '/subscription/repair');
    const { code, out } = await doctor([], settings());
    upstream.behave();
    await daemon.request('POST', '/subscription/repair');
    expect(code).toBe(1);
    expect(out).toMatch(
      /problem +subscription +warning: Registered at Co-Pilot, but the last check failed\. Co-Pilot responded with 500\.\n/,
    );
  });

  it('reports that the newest event is in the future', async () => {
    alter('UPDATE events SET received_at = received_at + 3600000 WHERE seq = (SELECT max(seq) FROM events)');
    const { code, out } = await doctor([], settings());
    alter('UPDATE events SET received_at = received_at - 3600000 WHERE seq = (SELECT max(seq) FROM events)');
    expect(code).toBe(1);
    expect(out).toMatch(
      /problem +clock +The newest event was received at 20\S+Z, which is in the future\.\n +The system clock/,
    );
  });

  it('reports a missing consent, and that the daemon cannot be reached from outside', async () => {
    const alone = await Daemon.start({ upstream, environment: { PUBLIC_URL: 'http://127.0.0.1:9' } });
    const { code, out } = await doctor(['--data-dir', alone.dataDir], settings());
    await alone.close();
    expect(code).toBe(1);
    expect(out).toMatch(/ok +daemon /);
    expect(out).toMatch(
      /problem +connection +warning: Switchboard is not connected to Co-Pilot\.\n +Connect/,
    );
    expect(out).toMatch(/unknown +subscription +No webhook is registered at Co-Pilot yet/);
    expect(out).toMatch(/problem +reachability +\S.*\n +\S/);
    expect(out).toMatch(/unknown +backup +There is no backup\. .*SWITCHBOARD_BACKUP_DIR/);
  });

  it('has the daemon run the consistency check', expectBalanced);

  it.each(INCONSISTENCIES)('finds %s', (_, ...damage) => expectFoundInJson(damage));

  it('finds stuck deliveries', () => {
    const [, damage, repair] = INCONSISTENCIES[3]!;
    return expectFoundInJson([
      damage,
      repair,
      'delivery_stuck',
      /is long overdue, although nothing holds it back/,
      /Restart/,
    ]);
  });
});

describe('doctor, while no daemon is running', () => {
  beforeAll(async () => {
    expect(await daemon.stop()).toBe(0);
  });

  it('reports that, and what cannot be checked', async () => {
    const { code, out, err } = await doctor([], settings());
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out).toMatch(/ok +lock +The lock is free: no daemon is running\.\n/);
    expect(out).toMatch(/ok +database /);
    expect(out).toMatch(/ok +secret key +It is the one that the database was encrypted with\.\n/);
    expect(out).toMatch(
      /problem +daemon +No daemon is running on \S+\.\n +Start it with "switchboard serve", or/,
    );
    for (const name of DAEMON_CHECKS)
      expect(out).toMatch(new RegExp(`unknown +${name} +Can only be checked while the daemon is running\\.`));
  });

  it('reports that the secret key is not that of the database', async () => {
    const { code, out } = await doctor([], {
      ...settings(),
      SWITCHBOARD_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    });
    expect(code).toBe(1);
    expect(out).toMatch(
      /problem +secret key +The key is not the one that this database was encrypted with\./,
    );
  });

  it('runs the consistency check itself, without any settings', expectBalanced);

  it.each(INCONSISTENCIES)('finds %s', (_, ...damage) => expectFound(damage));

  it('checks it after a daemon was killed and has left its address', async () => {
    await daemon.restart();
    await daemon.kill();
    await expectBalanced();
  });

  const CANNOT_RUN = 'The consistency check cannot run:\n';

  it('fails while another process holds the lock', async () => {
    const release = holdLock(daemon.dataDir);
    const [consistency, health] = [await doctor(['--ledger', '--json']), await doctor([], settings())];
    release();
    expect(consistency).toMatchObject({ code: 78, out: '' });
    expect(JSON.parse(consistency.err)).toMatchObject({
      code: 'settings_invalid',
      detail: expect.stringMatching(
        /^The consistency check cannot run:\n {2}DATA_DIR: Another process has locked .*\n {4}Wait until it has finished/,
      ),
    });
    expect(health.code).toBe(1);
    expect(health.out).toMatch(
      /problem +lock +Another process holds the lock.*\n +Wait until that process has ended/,
    );
  });

  it('rejects a database of a newer version, and does not change it', async () => {
    alter(ADD_NEWER);
    const [consistency, health] = [await doctor(['--ledger']), await doctor([], settings())];
    const names = daemon.rows(`SELECT name FROM migrations WHERE name = 'Tomorrow'`);
    alter(REMOVE_NEWER);
    expect(names).toHaveLength(1);
    expect(consistency).toMatchObject({ code: 78, out: '' });
    expect(consistency.err).toContain(CANNOT_RUN);
    expect(consistency.err).toMatch(
      /was written by a newer Switchboard \(Tomorrow\)\.\n {4}Start the newer version/,
    );
    expect(health.code).toBe(1);
    expect(health.out).toMatch(/problem +database +.*newer Switchboard/);
  });

  it('fails if there is no readable database', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'switchboard-doctor-'));
    try {
      const missing = await doctor(['--ledger', '--data-dir', elsewhere]);
      expect(missing).toMatchObject({ code: 78, out: '' });
      expect(missing.err).toMatch(
        /^The consistency check cannot run:\n {2}DATA_DIR: The database .* does not exist\.\n {4}Set/,
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
    const server = await doctor([], { DATABASE_URL: 'postgres://u:p4ssw0rd@127.0.0.1:1/hub' });
    expect(server.out).toMatch(/unknown +disk +Not available on PostgreSQL/);
    expect(server.out).toMatch(
      /problem +database +PostgreSQL at 127\.0\.0\.1:1\/hub cannot be used \(ECONNREFUSED/,
    );
  });
});
