import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';
import { Daemon } from '../../support/daemon/daemon';
import { MAIN } from '../../support/daemon/main-process';
import type { CommandResult } from '../../support/daemon/run-command';
import { runInProcess } from '../../support/daemon/run-in-process';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { until } from '../../support/until';
import { FakeCopilot } from '../../support/fakes/copilot';

let folder: string;
let upstream: FakeCopilot;
let daemon: Daemon;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-settings-'));
  upstream = await FakeCopilot.start();
  daemon = await Daemon.startConnected({ upstream, environment: { LOG_LEVEL: 'info' } });
});

afterAll(async () => {
  await daemon.close();
  await upstream.close();
  rmSync(folder, { recursive: true });
});

/** Runs `serve` in a separate environment, until it exits or `stopOnce` accepts its output. */
async function serve(
  environment: Record<string, string>,
  { flags = [], stopOnce }: { flags?: string[]; stopOnce?: RegExp } = {},
): Promise<{ code: number | null; text: string }> {
  const child = spawn(process.execPath, [...MAIN, 'serve', ...flags], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  let stopping = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      if (!stopping && stopOnce?.test(text)) stopping = child.kill('SIGTERM');
    });
  }
  const timeout = setTimeout(() => child.kill('SIGKILL'), 30_000);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(timeout);
  return { code, text };
}

/** Runs `serve` there in this process; it must fail. Its log would not be captured. */
async function fail(environment: Record<string, string>): Promise<CommandResult> {
  const before = process.cwd();
  process.chdir(folder);
  const result = await runInProcess(['serve'], { LOG_LEVEL: 'silent', ...environment });
  process.chdir(before);
  return result;
}

const required = () => ({
  COPILOT_BASE_URL: upstream.baseUrl,
  COPILOT_CLIENT_ID: upstream.clientId,
  COPILOT_CLIENT_SECRET: upstream.clientSecret,
  PORT: '0',
});

it('an invalid environment, and a second daemon on the same data, exit with 78 and a remedy', async () => {
  const empty = await fail({});
  const invalid = await fail({
    ...required(),
    PORT: 'many',
    LOG_LEVEL: 'loud',
    SWITCHBOARD_ADMIN_TOKEN: 'short',
  });
  const second = await fail({ ...required(), DATA_DIR: daemon.dataDir });
  expect(empty.code).toBe(78);
  for (const name of ['COPILOT_BASE_URL', 'COPILOT_CLIENT_ID', 'COPILOT_CLIENT_SECRET']) {
    expect(empty.err).toMatch(new RegExp(`${name}: ${name} is missing\\.\\n +\\S`));
  }
  expect(invalid.code).toBe(78);
  for (const name of ['PORT', 'LOG_LEVEL', 'SWITCHBOARD_ADMIN_TOKEN'])
    expect(invalid.err).toContain(`  ${name}: `);
  expect(second.code).toBe(78);
  expect(second.err).toMatch(/Another Switchboard is using/);
  expect(second.err).toContain(daemon.dataDir);
  expect((await fetch(`${daemon.url}/healthz`)).status).toBe(200);
});

it('an address or a folder that cannot be used exits with 78 and a remedy, without a line in the log', async () => {
  const used = new URL(daemon.url).port;
  const cases: [setting: string, environment: Record<string, string>][] = [
    ['HOST', { HOST: 'nope.invalid', LOG_LEVEL: 'warn' }],
    ['PORT', { PORT: used, LOG_LEVEL: 'warn' }],
    ['DATA_DIR', { DATA_DIR: '/proc/switchboard/data' }],
    ['DATABASE_URL', { DATABASE_URL: 'sqlite:/proc/switchboard/file' }],
  ];
  for (const [setting, given] of cases) {
    const { code, text } = await serve({ ...required(), DATA_DIR: join(folder, 'unused'), ...given });
    expect({ setting, code, text }).toMatchObject({
      code: 78,
      text: expect.stringMatching(new RegExp(`^Switchboard cannot start:\\n.*${setting}.*: .*\\n +\\S`)),
    });
  }
});

it('a folder in place of .env is named', async () => {
  mkdirSync(join(folder, '.env'));
  const { code, err } = await fail(required());
  rmdirSync(join(folder, '.env'));
  expect(err).toMatch(/\.env: .*EISDIR/);
  expect(code).toBe(78);
});

it('doubtful settings are named at the start, and each line of the output is JSON', async () => {
  writeFileSync(join(folder, '.env'), `\uFEFFCOPILOT_CLIENT_ID=${upstream.clientId}\r\nPORT=1\r\nPORT=0\r\n`);
  const { COPILOT_CLIENT_ID: _, PORT: __, ...others } = required();
  const { code, text } = await serve(
    {
      ...others,
      DATA_DIR: join(folder, 'doubtful'),
      SWITCHBOARD_RETENTION_DAY: '5',
      COPILOT_SCOPES: 'webhooks,deal',
    },
    { stopOnce: /login\?token=/ },
  );
  rmSync(join(folder, '.env'));
  expect(code).toBe(0);
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const warned = lines.filter(({ level }) => level === 40).map(({ setting }) => setting);
  expect(warned).toEqual(['.env, line 3', 'SWITCHBOARD_RETENTION_DAY', 'COPILOT_SCOPES']);
  expect(lines.filter(({ login_link: link }) => link !== undefined)).toHaveLength(1);
});

const startSecond = (databaseFile: string) =>
  fail({ ...required(), DATA_DIR: join(folder, 'second'), DATABASE_URL: `sqlite:${databaseFile}` });
const inFolder = (name: string) => join(folder, name);

describe('a second daemon on the same database, with another DATA_DIR,', () => {
  it.each<[string, () => string]>([
    ['its path', () => daemon.databaseFile],
    ['a relative path', () => relative(folder, daemon.databaseFile)],
    [
      'a link to the file',
      () => {
        symlinkSync(daemon.databaseFile, inFolder('link.db'));
        return inFolder('link.db');
      },
    ],
    [
      'a link to its directory',
      () => {
        symlinkSync(daemon.dataDir, inFolder('linked'));
        return inFolder('linked/switchboard.db');
      },
    ],
  ])('exits with 78 whatever path it uses: %s', async (_, path) => {
    const { code, err } = await startSecond(path());
    expect(err).toMatch(/DATABASE_URL: Another Switchboard is using .*\n +Stop it, or set/);
    expect(code).toBe(78);
  });

  it('exits with 78 if the first one created the file through a link', async () => {
    symlinkSync('database.db', inFolder('link-to-database.db'));
    const first = await Daemon.start({
      upstream,
      environment: { DATABASE_URL: `sqlite:${inFolder('link-to-database.db')}` },
    });
    const { code, err } = await startSecond(inFolder('database.db'));
    await first.close();
    expect(err).toContain('Another Switchboard is using');
    expect(code).toBe(78);
  });

  it('exits with 78 if the file has a second name, for which SQLite would write a second log', async () => {
    linkSync(daemon.databaseFile, inFolder('second-name.db'));
    const { code, err } = await startSecond(inFolder('second-name.db'));
    rmSync(inFolder('second-name.db'));
    expect(err).toMatch(/DATABASE_URL: .* has 2 hard links/);
    expect(code).toBe(78);
  });
});

it('flags override the environment, which overrides .env, and a secret may be in a file', async () => {
  const lines = { ...required(), COPILOT_CLIENT_ID: 'of-the-file', LOG_LEVEL: 'silent', PORT: 'nonsense' };
  writeFileSync(
    join(folder, '.env'),
    Object.entries(lines)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
  writeFileSync(join(folder, 'client-secret'), `${upstream.clientSecret}\n`);
  const data = join(folder, 'data-of-the-flag');
  const { code, text } = await serve(
    {
      LOG_LEVEL: 'info',
      PORT: 'many',
      DATA_DIR: '/nowhere',
      COPILOT_CLIENT_SECRET: '',
      COPILOT_CLIENT_SECRET_FILE: join(folder, 'client-secret'),
    },
    { flags: ['--port', '0', '--data-dir', data], stopOnce: /login\?token=/ },
  );
  rmSync(join(folder, '.env'));
  expect(text).toMatch(/"msg":"listening"/);
  expect(text).toContain(data);
  expect(code).toBe(0);
});

it('a stop exits with 0 once attempts in flight have ended; a second signal exits immediately', async () => {
  const hanging = await RecordingTarget.start(() => undefined);
  await daemon.addTarget('hanging', hanging.url);
  const { webhook } = daemon;
  const notification = {
    event: 'deal.created',
    timestamp: '2026-11-20T12:00:00Z',
    webhook_id: webhook.webhook_id,
    data: { id: 1 },
  };
  expect((await upstream.notify(webhook, JSON.stringify(notification))).status).toBe(200);
  await until('the request is in flight', () => hanging.requestsInProgress === 1);

  const before = performance.now();
  process.kill(daemon.pid, 'SIGTERM');
  await until('the stop begins', () => daemon.output.includes('"msg":"stopping"'));
  expect(await daemon.stop()).toBe(1);
  expect(performance.now() - before).toBeLessThan(6_000);

  hanging.respondWith(200);
  await daemon.restart();
  await until('the interrupted attempt is repeated', () => hanging.hits.length === 2);
  await until('its result is stored', async () => {
    const { data } = await daemon.get<{ data: { state: string; attempt_count: number }[] }>('/deliveries');
    return data.length === 1 && data[0]!.state === 'succeeded' && data[0]!.attempt_count === 1;
  });
  expect(hanging.hits.map(({ headers }) => headers['switchboard-attempt'])).toEqual(['1', '1']);
  expect(await daemon.stop()).toBe(0);
  await hanging.close();
});

it('signals that do not ask for an end are ignored, with a line in the log; others stop it gracefully', async () => {
  if (!daemon.isRunning) await daemon.restart();
  const ignored = ['SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGALRM', 'SIGVTALRM', 'SIGIO'] as const;
  for (const signal of ignored) {
    process.kill(daemon.pid, signal);
    await until(`${signal} is logged`, () =>
      daemon.output.includes(`"signal":"${signal}","msg":"signal ignored`),
    );
  }
  for (const signal of ['SIGPIPE', 'SIGXFSZ'] as const) process.kill(daemon.pid, signal);
  expect((await fetch(`${daemon.url}/healthz`)).status).toBe(200);
  expect(daemon.output).not.toContain('Debugger');
  for (const signal of ['SIGQUIT', 'SIGXCPU', 'SIGPWR', 'SIGHUP'] as const) process.kill(daemon.pid, signal);
  await until('it has stopped', () => !daemon.isRunning);
  expect(daemon.output).toContain('"msg":"stopping"');
});

it('another key, a missing key, another client, and a newer or damaged database exit with 78', async () => {
  const copies = ['wrong', 'newer', 'gone', 'other', 'damaged'].map((name) => {
    const dataDir = join(folder, name);
    cpSync(daemon.dataDir, dataDir, { recursive: true });
    return { ...required(), DATA_DIR: dataDir };
  });
  new sqliteDriver(join(copies[1]!.DATA_DIR, 'switchboard.db'))
    .exec(`INSERT INTO migrations(timestamp, name) VALUES (9999999999999, 'FromTheFuture9999999999999')`)
    .close();
  rmSync(join(copies[2]!.DATA_DIR, 'secret.key'));
  writeFileSync(join(copies[4]!.DATA_DIR, 'switchboard.db'), 'no database'.repeat(500));
  const wrong = await fail({
    ...copies[0]!,
    SWITCHBOARD_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
  });
  const newer = await fail(copies[1]!);
  const gone = await fail(copies[2]!);
  const other = await serve({ ...copies[3]!, COPILOT_CLIENT_ID: 'another-client', LOG_LEVEL: 'warn' });
  const damaged = await fail(copies[4]!);
  expect(wrong).toMatchObject({ code: 78, err: expect.stringContaining('SWITCHBOARD_SECRET_KEY') });
  expect(newer).toMatchObject({ code: 78, err: expect.stringContaining('FromTheFuture9999999999999') });
  expect(gone).toMatchObject({ code: 78, err: expect.stringContaining('secret.key is missing') });
  // What has not started is not stopped either: nothing precedes the reason.
  const reason = /^Switchboard cannot start:\n {2}COPILOT_CLIENT_ID: .*\n +\S/;
  expect(other).toMatchObject({ code: 78, text: expect.stringMatching(reason) });
  expect(damaged).toMatchObject({ code: 78, err: expect.stringMatching(/switchboard\.db is damaged/) });
});
