import { setTimeout as pause } from 'node:timers/promises';
import type { Stats } from '../../src/contract/stats';
import { Daemon } from './daemon';
import { HookClient } from './hook-client';
import { RetryingSender } from './retrying-sender';
import { assertBalanced } from './ledger';
import { isTelling, judge, judgeStored, succeededAt, type Kill, type KillFindings } from './kill-findings';
import { Upstream } from './upstream';
import { until } from './until';
import { WitnessTarget } from './witness-target';

export interface KillPlan {
  /** So many, and more until enough of them were telling, up to twice as many. */
  kills: number;
  /** How many kills have to find unanswered requests and open deliveries. */
  telling: number;
  perSecond: number;
  /** Each kill comes at a moment drawn evenly from so long after the daemon listens. */
  withinMs: number;
  /** How many of the restarts are killed on the way as well, at a random moment. */
  killedStarts: number;
  /** Every so many events the target refuses the first attempt, so that retries are open at the kills too. */
  refuseEvery: number;
  /** Told after each restart, to show that the run goes on. */
  onKill?: (kills: readonly Kill[]) => void;
}

/** A start is killed at a moment drawn from so long; it takes about as much. */
const START_TAKES_MS = 1_000;
/** The document's three attempts take 30 s beside their answers. */
const SETTLED_WITHIN_MS = 60_000;
const DRAINED_WITHIN_MS = 60_000;

/**
 * Kills the daemon again and again while notifications come in and go out, and judges from outside what became of them:
 * by the sender's record, the database file, and the target's record.
 */
export async function runKills(plan: KillPlan): Promise<KillFindings> {
  const opened: (() => unknown)[] = [];
  try {
    const upstream = await Upstream.start();
    opened.push(() => upstream.close());
    const target = await WitnessTarget.start();
    opened.push(() => target.close());
    const daemon = await Daemon.startConnected({ upstream });
    opened.push(() => daemon.close());
    const client = new HookClient(daemon.webhook);
    opened.push(() => client.close());
    const sender = new RetryingSender(client, plan.perSecond, daemon.webhook.webhook_id);
    opened.push(() => sender.abandon());
    await daemon.addTarget('witness', target.url);
    return await killAndJudge(plan, { daemon, target, client, sender });
  } finally {
    for (const close of opened.toReversed()) await close();
  }
}

interface Scene {
  daemon: Daemon;
  target: WitnessTarget;
  client: HookClient;
  sender: RetryingSender;
}

async function killAndJudge(
  { kills: wanted, telling, withinMs, killedStarts, refuseEvery, onKill }: KillPlan,
  { daemon, target, client, sender }: Scene,
): Promise<KillFindings> {
  const refused = new Set<string>();
  let seen = 0;
  target.delayMs = 10;
  target.decide = ({ id }) => {
    seen += 1;
    if (seen % refuseEvery !== 0 || refused.has(id)) return 204;
    refused.add(id);
    return 500;
  };
  const startedAt = performance.now();
  sender.start();
  const kills: Kill[] = [];
  while (kills.length < wanted || (kills.filter(isTelling).length < telling && kills.length < 2 * wanted)) {
    const afterMs = Math.random() * withinMs;
    await pause(afterMs);
    const killed = daemon.kill();
    const { unanswered } = client;
    const { acked } = sender;
    const succeeded = succeededAt(target);
    const open = acked.filter(({ hash }) => !succeeded.has(hash)).length;
    await killed;
    if (kills.length < killedStarts) {
      daemon.restartUnwatched();
      await pause(Math.random() * START_TAKES_MS);
      await daemon.kill();
    }
    await daemon.restart();
    const { lost, twice } = await judgeStored(daemon.databaseFile, acked);
    await assertBalanced(daemon);
    kills.push({ afterMs: Math.round(afterMs), unanswered, open, lost, twice });
    onKill?.(kills);
  }
  sender.stop();
  const seconds = (performance.now() - startedAt) / 1_000;
  await sender.settled(SETTLED_WITHIN_MS);
  target.delayMs = 0;
  const drained = performance.now();
  await until(
    'no delivery is open',
    async () => (await daemon.get<Stats>('/stats')).deliveries.open === 0,
    DRAINED_WITHIN_MS,
  );
  await assertBalanced(daemon);
  return {
    ...(await judge(daemon, sender, target)),
    kills,
    killedStarts,
    seconds,
    perSecond: sender.notifications.length / seconds,
    drainMs: Math.round(performance.now() - drained),
    refusedAtTarget: refused.size,
  };
}
