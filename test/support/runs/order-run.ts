import { setTimeout as pause } from 'node:timers/promises';
import type { TargetPolicyChanges } from '../../../src/contract/target-policy';
import { assertBalanced } from '../daemon/ledger';
import { dealNotification } from '../notification';
import type { Received } from '../fakes/witness-target';
import { drained, runWitnessed, type Scene } from './witnessed-run';

export interface OrderPlan {
  /** So many deals, all at once. */
  entities: number;
  /** So many events of each, one after the other. */
  perEntity: number;
  /** The part of the requests that the target fails, in several ways. */
  failing: number;
  kills: number;
  /** Each kill comes at a moment drawn evenly from so long after the daemon listens. */
  withinMs: number;
  /** Events that are replayed by hand meanwhile. */
  replays: number;
}

export interface OrderFindings {
  events: number;
  kills: number;
  requests: number;
  failed: number;
  /** Requests for an event whose 2xx had gone out already. */
  repeated: number;
  replayed: number;
  seconds: number;
  /** What must be empty: what came before one that it follows, and what never succeeded. */
  overtaken: string[];
  missing: string[];
  unfinished: string[];
}

/** Short pauses, so that the run is; the breaker joins in. */
const POLICY: TargetPolicyChanges = {
  ordering: 'entity',
  retry: { tries: 100, first_s: 0.1, factor: 1, cap_s: 1 },
  breaker: { failures: 8, first_probe_s: 0.1, cap_s: 1 },
};
const FAILURES = [500, 503, 429, 404, 400];
const SENT_AGAIN_MS = 300;
const DRAINED_WITHIN_MS = 120_000;

/** An event by its place: the bytes of a notification are its identity. */
interface Place {
  entity: number;
  index: number;
}

/**
 * Sends the events of many deals, kills the daemon on the way, and judges from the target's own record in which order they
 * came: within a deal none may come before the 2xx for the one before it went out.
 */
export const runOrder = (plan: OrderPlan): Promise<OrderFindings> =>
  runWitnessed(POLICY, (scene) => sendAndJudge(plan, scene));

async function sendAndJudge(
  { entities, perEntity, failing, kills, withinMs, replays }: OrderPlan,
  { daemon, target, client }: Scene,
): Promise<OrderFindings> {
  const startedAt = performance.now();
  const places = new Map<string, Place>();
  const stored: string[] = [];
  let failed = 0;
  target.delayMs = 3;
  target.decide = ({ trigger }) => {
    if (trigger !== 'live' || Math.random() >= failing) return 204;
    failed += 1;
    return FAILURES[failed % FAILURES.length]!;
  };

  const sending = Promise.all(
    Array.from({ length: entities }, async (_, entity) => {
      for (let index = 0; index < perEntity; index += 1) {
        const { body, hash } = dealNotification({
          id: entity + 1,
          name: `Change ${index + 1} of deal ${entity + 1}`,
          webhookId: daemon.webhook.webhook_id,
        });
        places.set(hash, { entity, index });
        let answer = await client.send(body);
        while (answer.status !== 200) {
          await pause(SENT_AGAIN_MS);
          answer = await client.send(body);
        }
        stored.push(answer.id!);
      }
    }),
  );
  for (let killed = 0; killed < kills; killed += 1) {
    await pause(Math.random() * withinMs);
    await daemon.kill();
    await daemon.restart();
    await assertBalanced(daemon);
  }
  await sending;
  const replayed = Math.min(replays, stored.length);
  for (let i = 0; i < replayed; i += 1) {
    const id = stored[Math.floor((i * stored.length) / replayed)]!;
    await daemon.request('POST', `/events/${id}/replay`, {});
  }
  await drained(daemon, DRAINED_WITHIN_MS);
  return {
    events: places.size,
    kills,
    requests: target.received.length,
    failed,
    replayed: target.received.filter(({ trigger }) => trigger === 'replay').length,
    seconds: (performance.now() - startedAt) / 1_000,
    ...judgeOrder(target.received, places),
    unfinished: daemon
      .rows<{ state: string }>(`SELECT DISTINCT state FROM deliveries WHERE state <> 'succeeded'`)
      .map(({ state }) => state),
  };
}

function judgeOrder(received: readonly Received[], places: ReadonlyMap<string, Place>) {
  /** For each deal the index up to which all have succeeded, by the record so far. */
  const through = new Map<number, number>();
  const overtaken: string[] = [];
  const succeeded = new Set<string>();
  let repeated = 0;
  for (const { hash, trigger, answered } of received) {
    const place = places.get(hash);
    if (place === undefined || trigger !== 'live') continue;
    const before = through.get(place.entity) ?? -1;
    if (succeeded.has(hash)) repeated += 1;
    // The first to be missing may come, and the last that succeeded may come again: its success was not on disk yet.
    if (place.index !== before + 1 && place.index !== before)
      overtaken.push(`${place.index} of deal ${place.entity + 1} after ${before}`);
    if (answered === null || answered >= 300) continue;
    succeeded.add(hash);
    through.set(place.entity, Math.max(before, place.index));
  }
  const missing = [...places].filter(([hash]) => !succeeded.has(hash)).map(([hash]) => hash);
  return { overtaken, missing, repeated };
}

export const describeOrder = (found: OrderFindings): string =>
  `${found.events} events, ${found.kills} kills, ${found.requests} requests of which ${found.failed} failed, ` +
  `${found.repeated} repeated and ${found.replayed} replayed, in ${found.seconds.toFixed(1)} s; ` +
  `overtaken ${found.overtaken.length}, missing ${found.missing.length}`;
