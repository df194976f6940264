import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Daemon } from '../support/daemon/daemon';
import { MAIN } from '../support/daemon/main-process';
import { FakeCopilot } from '../support/fakes/copilot';
import { RetryingSender } from '../support/fakes/retrying-sender';
import { WebhookSender } from '../support/fakes/webhook-sender';
import { report } from '../support/runs/report';
import { until } from '../support/until';

const PER_SECOND = 1_000;
const RESTARTS = 3;
const BETWEEN = 5_000;
const WITHIN_MS = 120_000;

it('tail prints each event once, in order, through restarts of the hub', async () => {
  const upstream = await FakeCopilot.start();
  const daemon = await Daemon.startConnected({ upstream });
  const args = ['tail', '--json', '--after', 'oldest', '--data-dir', daemon.dataDir];
  const tail = spawn(process.execPath, [...MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  tail.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const seqs: number[] = [];
  createInterface(tail.stdout).on('line', (line) => seqs.push((JSON.parse(line) as { seq: number }).seq));
  const client = new WebhookSender(daemon.webhook);
  const sender = new RetryingSender(client, PER_SECOND, daemon.webhook.webhook_id);
  const stored = () =>
    daemon.rows<{ seq: number }>('SELECT seq FROM events ORDER BY seq').map(({ seq }) => seq);
  try {
    sender.start();
    // It follows a hub through restarts once it has reached it.
    await until('tail has printed a line', () => seqs.length > 0 || tail.exitCode !== null);
    for (let i = 0; i < RESTARTS; i += 1) {
      await sender.waitForAcknowledged(BETWEEN, WITHIN_MS);
      await daemon.kill();
      await daemon.restart();
    }
    await sender.waitForAcknowledged(BETWEEN, WITHIN_MS);
    sender.stop();
    await sender.waitUntilFinished(WITHIN_MS);
    const isOver = () => tail.exitCode !== null || seqs.length >= stored().length;
    await until('tail has printed as many as are stored', isOver, WITHIN_MS).catch(() => undefined);
    if (seqs.length < stored().length)
      throw new Error(
        `tail printed ${seqs.length} of ${stored().length} (exit code ${tail.exitCode}):\n${said}`,
      );
    report(
      `${stored().length} events at ${PER_SECOND}/s, ${RESTARTS} kills of the hub, ${seqs.length} lines`,
    );
    expect(seqs).toEqual(stored());
  } finally {
    sender.cancel();
    tail.kill();
    client.close();
    await daemon.close();
    await upstream.close();
  }
});
