import { setTimeout as pause } from 'node:timers/promises';
import { subscription } from '../../../src/contract/subscription';
import { assertBalanced } from '../daemon/ledger';
import { Switchboard } from '../daemon/switchboard';
import { RecordingTarget } from '../fakes/recording-target';
import { SandboxCopilot } from '../fakes/sandbox-copilot';
import { TimerClock } from '../timer-clock';
import { until } from '../until';

const TICK_MS = 50;
const POLL_INTERVAL_MS = 250;
/** The old webhook is deleted after 30 s, when no retry from it can be pending. */
const ROTATION_TIMEOUT_MS = 120_000;
const ARRIVAL_TIMEOUT_MS = 60_000;
const PAUSE_MS = 1_000;

export interface RotationRun {
  /** The number of events, and how often the target received each, by the number in its data. */
  emitted: number;
  arrivals: Map<number, number>;
  /** The count of each outcome of a notification's attempts: a status, the code of a network error, or `timeout`. */
  outcomes: Record<string, number>;
  /** The number of webhooks that sent notifications. */
  webhooks: number;
}

/**
 * Rotates repeatedly while the sandbox sends notifications, and counts their outcomes. The clocks of both advance with the ticks
 * that send: on a busy machine the run takes longer, but nothing times out.
 * @param options.perSecond the number of notifications in a second of the sandbox's clock
 * @param options.clockSpeed how much faster the daemon's clock is; its 4 s timeout is shorter by this factor
 */
export async function rotateUnderLoad(options: {
  perSecond: number;
  rotations: number;
  clockSpeed: number;
}): Promise<RotationRun> {
  const outcomes: Record<string, number> = {};
  const senders = new Set<string>();
  const sandboxClock = new TimerClock(Date.now());
  const sandbox = await SandboxCopilot.start({
    clock: sandboxClock,
    log: (record) => {
      if (record.kind !== 'attempt') return;
      senders.add(record.webhookId);
      const outcome = record.status ?? record.code ?? record.outcome;
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    },
  });
  const target = await RecordingTarget.start();
  const hub = await Switchboard.startWith(sandbox, {
    environment: { SWITCHBOARD_TARGETS: `everything=${target.url}` },
  });
  hub.clock.stop();
  const ask = (path: string, method = 'GET') => hub.read(subscription, path, { method });
  let emitted = 0;
  let due = 0;
  let isEmitting = false;
  const ticking = setInterval(() => {
    hub.clock.move(options.clockSpeed * TICK_MS);
    sandboxClock.move(TICK_MS);
    if (isEmitting) due += (options.perSecond * TICK_MS) / 1_000;
    for (; emitted < due; emitted += 1) sandbox.emit('deal.updated', { number: emitted });
  }, TICK_MS);
  try {
    isEmitting = true;
    for (let done = 0; done < options.rotations; done += 1) {
      await pause(PAUSE_MS);
      const { webhook_id: before } = await ask('/subscription');
      const { webhook_id: after } = await ask('/subscription/rotate', 'POST');
      if (after === before) throw new Error('The rotation did not create another webhook.');
      const isOver = async () => (await ask('/subscription')).rotation === null;
      await until('the rotation ends', isOver, ROTATION_TIMEOUT_MS);
    }
    await pause(PAUSE_MS);
    isEmitting = false;
    // The caller checks for missing events.
    const deadline = Date.now() + ARRIVAL_TIMEOUT_MS;
    while (target.hits.length < emitted && Date.now() < deadline) await pause(POLL_INTERVAL_MS);
    const arrivals = new Map<number, number>();
    for (const { body } of target.hits) arrivals.set(numberIn(body), (arrivals.get(numberIn(body)) ?? 0) + 1);
    await assertBalanced({ url: hub.origin, token: hub.adminToken });
    return { emitted, arrivals, outcomes, webhooks: senders.size };
  } finally {
    clearInterval(ticking);
    await hub.end();
    await target.close();
  }
}

function numberIn(body: Buffer): number {
  const { data }: { data: { number: number } } = JSON.parse(body.toString());
  return data.number;
}
