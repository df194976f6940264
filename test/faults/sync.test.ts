import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Daemon } from '../support/daemon/daemon';
import { WebhookSender } from '../support/fakes/webhook-sender';
import { assertBalanced } from '../support/daemon/ledger';
import { dealNotification } from '../support/notification';
import { report } from '../support/runs/report';
import { FakeCopilot } from '../support/fakes/copilot';

const GROUPS = 200;

interface Sync {
  thread: number;
  /** Ms since 1970. */
  startedAt: number;
  endedAt: number;
}

describe('the daemon, with its system calls traced', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-trace-'));
  const trace = join(folder, 'trace');
  let upstream: FakeCopilot;
  let daemon: Daemon;

  beforeAll(async () => {
    try {
      execFileSync('strace', ['-V'], { stdio: 'pipe' });
    } catch (error) {
      throw new Error('strace is missing: install it; this test traces the syncs of the disk with it.', {
        cause: error,
      });
    }
    upstream = await FakeCopilot.start();
    // With -D the daemon is a direct child of this process, with the process id that was started.
    const under = ['strace', '-D', '-f', '-y', '-ttt', '-T', '-e', 'trace=fdatasync,fsync', '-o', trace];
    daemon = await Daemon.startConnected({ upstream, under });
  }, 120_000);

  afterAll(async () => {
    await daemon?.close();
    await upstream?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('syncs the write-ahead log for every group, between its arrival and its 200', async () => {
    const client = new WebhookSender(daemon.webhook);
    const webhookId = daemon.webhook.webhook_id;
    const responses = [];
    for (let id = 1; id <= GROUPS; id += 1) {
      // Sent one at a time, so that each is a group.
      responses.push(await client.send(dealNotification({ id, webhookId }).body));
    }
    client.close();
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(GROUPS);
    await assertBalanced(daemon);
    expect(await daemon.stop()).toBe(0);

    const [first, last] = [responses[0]!.sentAt, responses.at(-1)!.respondedAt + 1];
    const syncs = readSyncs(readFileSync(trace, 'utf8')).filter(
      ({ startedAt, endedAt }) => startedAt >= first && endedAt <= last,
    );
    const threads = [...new Set(syncs.map(({ thread }) => thread))];
    const writer = threads
      .map((one) => syncs.filter(({ thread }) => thread === one))
      .reduce((most, some) => (some.length > most.length ? some : most), []);
    const covered = responses.filter(({ sentAt, respondedAt: answeredAt }) =>
      writer.some(({ startedAt, endedAt }) => startedAt >= sentAt && endedAt <= answeredAt + 1),
    );
    report(
      `${GROUPS} acknowledged groups; syncs of the log meanwhile: ${syncs.length}, of them by the thread that writes ${writer.length}; groups with one between arrival and 200: ${covered.length}`,
    );
    expect(writer.length).toBeGreaterThanOrEqual(GROUPS);
    expect(covered).toHaveLength(GROUPS);
  }, 120_000);
});

/** Successful syncs of the write-ahead log: `4711 1700000000.123456 fdatasync(21</…/switchboard.db-wal>) = 0 <0.000123>`. */
function readSyncs(trace: string): Sync[] {
  const started = new Map<string, number>();
  const syncs: Sync[] = [];
  for (const line of trace.split('\n')) {
    const [, thread, at, call] = /^(\d+) +(\d+\.\d+) (.*)$/.exec(line) ?? [];
    if (thread === undefined || at === undefined || call === undefined) continue;
    const time = Number(at) * 1_000;
    if (/^f(data)?sync\(.*db-wal>.*<unfinished/.test(call)) started.set(thread, time);
    const whole = /^f(?:data)?sync\(\d+<.*db-wal>\) += 0 <(\d+\.\d+)>/.exec(call);
    const resumed = /^<\.\.\. f(?:data)?sync resumed>.*= 0 <(\d+\.\d+)>/.exec(call);
    const startedAt = whole === null ? started.get(thread) : time;
    const took = (whole ?? resumed)?.[1];
    if (took === undefined || startedAt === undefined) continue;
    syncs.push({ thread: Number(thread), startedAt, endedAt: startedAt + Number(took) * 1_000 });
    started.delete(thread);
  }
  return syncs;
}
