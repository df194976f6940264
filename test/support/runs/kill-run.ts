import { setTimeout as pause } from 'node:timers/promises';
import { RetryingSender } from '../fakes/retrying-sender';
import { assertBalanced } from '../daemon/ledger';
import { isTelling, judge, judgeStored, succeededAt, type Kill, type KillFindings } from './kill-findings';
import { drained, runWitnessed, type Scene } from './witnessed-run';

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
export function runKills(plan: KillPlan): Promise<KillFindings> {
  return runWitnessed({}, async (scene) => {
    const { client, daemon } = scene;
    const sender = new RetryingSender(client, plan.perSecond, daemon.webhook.webhook_id);
    try {
      return await killAndJudge(plan, scene, sender);
    } finally {
      sender.abandon();
    }
  });
}

async function killAndJudge(
  { kills: wanted, telling, withinMs, killedStarts, refuseEvery, onKill }: KillPlan,
  { daemon, target, client }: Scene,
  sender: RetryingSender,
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
  const drainsFrom = performance.now();
  await drained(daemon, DRAINED_WITHIN_MS);
  return {
    ...(await judge(daemon, sender, target)),
    kills,
    killedStarts,
    seconds,
    perSecond: sender.notifications.length / seconds,
    drainMs: Math.round(performance.now() - drainsFrom),
    refusedAtTarget: refused.size,
  };
}
