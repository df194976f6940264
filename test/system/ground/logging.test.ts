import { execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { Daemon } from '../../support/daemon/daemon';
import { failWritesOf, letWrite } from '../../support/file-size-limit';
import { WebhookSender } from '../../support/fakes/webhook-sender';
import { dealNotification } from '../../support/notification';
import { until } from '../../support/until';
import { FakeCopilot } from '../../support/fakes/copilot';

const MIB = 1024 * 1024;
/** Larger than the database will be, so that a limit between the two stops the log alone. */
const LOGGED_BEFORE = 16 * MIB;
const LIMIT = 12 * MIB;
/** More lines than a pipe holds, one for each notification. */
const NOTIFICATIONS = 1_500;
const LOG = resolve(__dirname, '../../../dist/relay/ground/log.js');

/** A process that has a log and runs `script`. */
const run = (script: string) =>
  spawn(process.execPath, [
    '-e',
    `const log = require(${JSON.stringify(LOG)}).createLog('info', false); ${script}`,
  ]);

describe('standard output that takes nothing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-logging-'));
  const logFile = join(folder, 'log');
  let upstream: FakeCopilot;
  let daemon: Daemon;

  beforeAll(async () => {
    upstream = await FakeCopilot.start();
  });

  afterEach(() => daemon.close());

  afterAll(async () => {
    await upstream?.close();
    rmSync(folder, { recursive: true });
  });

  const startLoggingTo = async (redirection: string) => {
    daemon = await Daemon.startConnected({
      upstream,
      environment: { LOG_LEVEL: 'debug' },
      under: ['sh', '-c', `exec "$@" ${redirection}`, 'sh'],
    });
  };

  const notify = async (count: number) => {
    const client = new WebhookSender(daemon.webhook);
    const words = new Set<string | null>();
    for (let id = 1; id <= count; id += 1) {
      const { body } = dealNotification({ id, webhookId: daemon.webhook.webhook_id });
      words.add((await client.send(body)).word);
    }
    client.close();
    expect([...words]).toEqual(['accepted']);
  };

  it('holds up nothing where its disk is full, and gets its lines when there is room', async () => {
    writeFileSync(logFile, '');
    truncateSync(logFile, LOGGED_BEFORE);
    const log = openSync(logFile, 'r');
    const lines = () => {
      const logged = Buffer.alloc(MIB);
      return logged
        .toString('utf8', 0, readSync(log, logged, { position: LOGGED_BEFORE }))
        .trimEnd()
        .split('\n');
    };
    await startLoggingTo(`>>${logFile}`);
    await until('it logs', () => lines().some((line) => line.includes('"listening"')));
    failWritesOf(daemon.pid, LIMIT);
    const before = lines().length;
    await notify(200);
    expect(lines()).toHaveLength(before);

    letWrite(daemon.pid);
    await until('what waited is written', () => lines().length >= before + 200);
    expect(() => lines().map((line) => JSON.parse(line) as unknown)).not.toThrow();

    failWritesOf(daemon.pid, LIMIT);
    expect(await daemon.stop()).toBe(0);
    closeSync(log);
  }, 60_000);

  it('holds up nothing where nobody reads the pipe, not even the end', async () => {
    const fifo = join(folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
    // For reading and writing: opening it waits for nobody then.
    const held = openSync(fifo, 'r+');
    await startLoggingTo(`>${fifo}`);
    await notify(NOTIFICATIONS);
    expect(await daemon.stop()).toBe(0);

    const taken = readSync(held, Buffer.alloc(MIB));
    expect(taken).toBeGreaterThan(32_000);
    closeSync(held);
  }, 60_000);
});

describe('the log of a process', () => {
  it.each([
    ['exits', 'process.exit(3)', 3],
    ['comes to its end', 'process.exitCode = 3', 3],
    ['dies of an error', 'throw new Error()', 1],
  ])('is complete where the process %s', async (_, end, code) => {
    const child = run(`for (let i = 0; i < 5000; i += 1) log.info({ i }, 'line'); log.fatal('last'); ${end}`);
    const ended = new Promise((done) => child.on('exit', done));
    const lines = (await text(child.stdout)).trimEnd().split('\n');
    expect(await ended).toBe(code);
    expect(lines).toHaveLength(5_001);
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ level: 60, msg: 'last' });
  });

  it('keeps a few MiB for a reader that stands still, and tells it how many lines it missed', async () => {
    const child = run(`
      const line = 'x'.repeat(1000);
      for (let i = 0; i < 20_000; i += 1) log.info(line);
      global.gc?.();
      process.stderr.write('written');
      process.stdin.resume().on('end', () => log.info('last'));`);
    await new Promise((written) => child.stderr.once('data', written));
    const reading = text(child.stdout);
    child.stdin.end();
    const lines = (await reading)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string; lines?: number });
    const dropped = lines.reduce((sum, line) => sum + (line.lines ?? 0), 0);
    expect(dropped).toBeGreaterThan(15_000);
    expect(lines.filter(({ msg }) => msg.startsWith('xxx'))).toHaveLength(20_000 - dropped);
  });
});
