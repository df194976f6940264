import { setTimeout as pause } from 'node:timers/promises';
import { RetryingSender } from '../fakes/retrying-sender';
import { assertBalanced } from '../daemon/ledger';
import {
  isConclusive,
  checkRecords,
  checkStored,
  succeededAt,
  type Kill,
  type KillFindings,
} from './kill-findings';
import { untilDrained, runWitnessed, type WitnessedRun } from './witnessed-run';

export interface KillPlan {
  /** The number of kills; up to twice as many until enough of them were conclusive. */
  kills: number;
  /** How many kills must find unanswered requests and queued deliveries. */
  conclusive: number;
  perSecond: number;
  /** Each kill happens at a random time within this many ms after the daemon listens. */
  withinMs: number;
  /** How many of the restarts are killed too, at a random time. */
  killedStarts: number;
  /** The target fails the first attempt of every n-th event, so that the kills find retries too. */
  failEvery: number;
  /** Called after each restart, to show progress. */
  onKill?: (kills: readonly Kill[]) => void;
}

/** About the duration of a start; a start is killed at a random time within it. */
const START_DURATION_MS = 1_000;
/** The document's three attempts take 30 s plus their response times. */
const FINISHED_WITHIN_MS = 60_000;
const DRAINED_WITHIN_MS = 60_000;

/**
 * Kills the daemon repeatedly while notifications arrive and are delivered, and verifies the outcome from outside: from
 * the sender's records, the database file and the target's records.
 */
export function runKills(plan: KillPlan): Promise<KillFindings> {
  return runWitnessed({}, async (scene) => {
    const { client, daemon } = scene;
    const sender = new RetryingSender(client, plan.perSecond, daemon.webhook.webhook_id);
    try {
      return await killAndCheck(plan, scene, sender);
    } finally {
      sender.cancel();
    }
  });
}

async function killAndCheck(
  { kills: wanted, conclusive, withinMs, killedStarts, failEvery, onKill }: KillPlan,
  { daemon, target, client }: WitnessedRun,
  sender: RetryingSender,
): Promise<KillFindings> {
  const failedOnce = new Set<string>();
  let seen = 0;
  target.delayMs = 10;
  target.statusFor = ({ id }) => {
    seen += 1;
    if (seen % failEvery !== 0 || failedOnce.has(id)) return 204;
    failedOnce.add(id);
    return 500;
  };
  const startedAt = performance.now();
  sender.start();
  const kills: Kill[] = [];
  while (
    kills.length < wanted ||
    (kills.filter(isConclusive).length < conclusive && kills.length < 2 * wanted)
  ) {
    const afterMs = Math.random() * withinMs;
    await pause(afterMs);
    const killed = daemon.kill();
    const { unanswered } = client;
    const { acknowledged: acked } = sender;
    const succeeded = succeededAt(target);
    const open = acked.filter(({ hash }) => !succeeded.has(hash)).length;
    await killed;
    if (kills.length < killedStarts) {
      daemon.restartWithoutWaiting();
      await pause(Math.random() * START_DURATION_MS);
      await daemon.kill();
    }
    await daemon.restart();
    const { lost, twice } = await checkStored(daemon.databaseFile, acked);
    await assertBalanced(daemon);
    kills.push({ afterMs: Math.round(afterMs), unanswered, queued: open, lost, twice });
    onKill?.(kills);
  }
  sender.stop();
  const seconds = (performance.now() - startedAt) / 1_000;
  await sender.waitUntilFinished(FINISHED_WITHIN_MS);
  target.delayMs = 0;
  const drainsFrom = performance.now();
  await untilDrained(daemon, DRAINED_WITHIN_MS);
  return {
    ...(await checkRecords(daemon, sender, target)),
    kills,
    killedStarts,
    seconds,
    perSecond: sender.notifications.length / seconds,
    drainMs: Math.round(performance.now() - drainsFrom),
    failedAtTarget: failedOnce.size,
  };
}
