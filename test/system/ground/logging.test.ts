import { execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { Daemon } from '../../support/daemon/daemon';
import { failWritesOf, allowWritesOf } from '../../support/file-size-limit';
import { WebhookSender } from '../../support/fakes/webhook-sender';
import { dealNotification } from '../../support/notification';
import { until } from '../../support/until';
import { FakeCopilot } from '../../support/fakes/copilot';

const MIB = 1024 * 1024;
/** The initial size of the log file. The database stays smaller than LIMIT, so the limit affects only the log. */
const INITIAL_LOG_BYTES = 16 * MIB;
/** The size beyond which the daemon cannot write to files. */
const LIMIT = 12 * MIB;
/** So many that their log lines do not fit into a pipe. */
const NOTIFICATIONS = 500;
const LOG = resolve(__dirname, '../../../dist/relay/ground/log.js');

/** Runs `script` in a process with a log. */
const run = (script: string) =>
  spawn(process.execPath, [
    '-e',
    `const log = require(${JSON.stringify(LOG)}).createLog('info', false); ${script}`,
  ]);

describe('a standard output that cannot be written', () => {
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
    const outcomes = new Set<string | null>();
    for (let id = 1; id <= count; id += 1) {
      const { body } = dealNotification({ id, webhookId: daemon.webhook.webhook_id });
      outcomes.add((await client.send(body)).code);
    }
    client.close();
    expect([...outcomes]).toEqual(['accepted']);
  };

  it('does not block the daemon while the disk is full, and receives the buffered lines later', async () => {
    writeFileSync(logFile, '');
    truncateSync(logFile, INITIAL_LOG_BYTES);
    const log = openSync(logFile, 'r');
    const lines = () => {
      const logged = Buffer.alloc(MIB);
      return logged
        .toString('utf8', 0, readSync(log, logged, { position: INITIAL_LOG_BYTES }))
        .trimEnd()
        .split('\n');
    };
    await startLoggingTo(`>>${logFile}`);
    await until('the daemon logs', () => lines().some((line) => line.includes('"listening"')));
    failWritesOf(daemon.pid, LIMIT);
    const before = lines().length;
    await notify(200);
    expect(lines()).toHaveLength(before);

    allowWritesOf(daemon.pid);
    await until('the buffered lines are written', () => lines().length >= before + 200);
    expect(() => lines().map((line) => JSON.parse(line) as unknown)).not.toThrow();

    failWritesOf(daemon.pid, LIMIT);
    expect(await daemon.stop()).toBe(0);
    closeSync(log);
  });

  it('blocks nothing while the pipe is not read, not even the stop', async () => {
    const fifo = join(folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
    // Opened for reading and writing, so that open() does not block.
    const held = openSync(fifo, 'r+');
    await startLoggingTo(`>${fifo}`);
    await notify(NOTIFICATIONS);
    expect(await daemon.stop()).toBe(0);

    const read = readSync(held, Buffer.alloc(MIB));
    expect(read).toBeGreaterThan(32_000);
    closeSync(held);
  });
});

describe('the log of a process', () => {
  it.each([
    ['exits', 'process.exit(3)', 3],
    ['returns', 'process.exitCode = 3', 3],
    ['throws', 'throw new Error()', 1],
  ])('is complete when the process %s', async (_, end, code) => {
    const child = run(`for (let i = 0; i < 5000; i += 1) log.info({ i }, 'line'); log.fatal('last'); ${end}`);
    const ended = new Promise((done) => child.on('exit', done));
    const lines = (await text(child.stdout)).trimEnd().split('\n');
    expect(await ended).toBe(code);
    expect(lines).toHaveLength(5_001);
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ level: 60, msg: 'last' });
  });

  it('buffers a few MiB while its reader has stalled, and then logs how many lines were dropped', async () => {
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
