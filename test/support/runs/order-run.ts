import { setTimeout as pause } from 'node:timers/promises';
import type { TargetPolicyChanges } from '../../../src/contract/target-policy';
import { assertBalanced } from '../daemon/ledger';
import { dealNotification } from '../notification';
import type { Received } from '../fakes/witness-target';
import { untilDrained, runWitnessed, type WitnessedRun } from './witnessed-run';

export interface OrderPlan {
  /** The number of deals, sent concurrently. */
  entities: number;
  /** The number of events of each deal, sent one after the other. */
  perEntity: number;
  /** The fraction of requests that the target fails, with various statuses. */
  failing: number;
  kills: number;
  /** Each kill happens at a random time within this many ms after the daemon listens. */
  withinMs: number;
  /** The number of events that are replayed in the meantime. */
  replays: number;
}

export interface OrderFindings {
  events: number;
  kills: number;
  requests: number;
  failed: number;
  /** Requests for an event after its 2xx was sent. */
  repeated: number;
  replayed: number;
  seconds: number;
  /** These must be empty: events that were sent too early, and those that never succeeded. */
  overtaken: string[];
  missing: string[];
  unfinished: string[];
}

/** Short pauses for a short run, with a circuit breaker. */
const POLICY: TargetPolicyChanges = {
  ordering: 'entity',
  retry: { attempts: 100, first_s: 0.1, factor: 1, cap_s: 1 },
  breaker: { failures: 8, first_probe_s: 0.1, cap_s: 1 },
};
const FAILURES = [500, 503, 429, 404, 400];
const RESEND_AFTER_MS = 300;
const DRAINED_WITHIN_MS = 120_000;

/** The position of an event within its deal. */
interface EventPosition {
  entity: number;
  index: number;
}

/**
 * Sends the events of many deals, kills the daemon meanwhile, and verifies the order from the target's records: within a
 * deal, no event may be sent before the previous one got its 2xx.
 */
export const runOrder = (plan: OrderPlan): Promise<OrderFindings> =>
  runWitnessed(POLICY, (scene) => sendAndCheck(plan, scene));

async function sendAndCheck(
  { entities, perEntity, failing, kills, withinMs, replays }: OrderPlan,
  { daemon, target, client }: WitnessedRun,
): Promise<OrderFindings> {
  const startedAt = performance.now();
  const positions = new Map<string, EventPosition>();
  const stored: string[] = [];
  let failed = 0;
  target.delayMs = 3;
  target.statusFor = ({ trigger }) => {
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
        positions.set(hash, { entity, index });
        let response = await client.send(body);
        while (response.status !== 200) {
          await pause(RESEND_AFTER_MS);
          response = await client.send(body);
        }
        stored.push(response.id!);
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
  await untilDrained(daemon, DRAINED_WITHIN_MS);
  return {
    events: positions.size,
    kills,
    requests: target.received.length,
    failed,
    replayed: target.received.filter(({ trigger }) => trigger === 'replay').length,
    seconds: (performance.now() - startedAt) / 1_000,
    ...checkOrder(target.received, positions),
    unfinished: daemon
      .rows<{ state: string }>(`SELECT DISTINCT state FROM deliveries WHERE state <> 'succeeded'`)
      .map(({ state }) => state),
  };
}

function checkOrder(received: readonly Received[], positions: ReadonlyMap<string, EventPosition>) {
  /** For each deal, the index up to which all events have succeeded so far. */
  const through = new Map<number, number>();
  const overtaken: string[] = [];
  const succeeded = new Set<string>();
  let repeated = 0;
  for (const { hash, trigger, sentStatus: answered } of received) {
    const position = positions.get(hash);
    if (position === undefined || trigger !== 'live') continue;
    const before = through.get(position.entity) ?? -1;
    if (succeeded.has(hash)) repeated += 1;
    // The next event may be sent, or the last one again, if its success was not on disk yet.
    if (position.index !== before + 1 && position.index !== before)
      overtaken.push(`${position.index} of deal ${position.entity + 1} after ${before}`);
    if (answered === null || answered >= 300) continue;
    succeeded.add(hash);
    through.set(position.entity, Math.max(before, position.index));
  }
  const missing = [...positions].filter(([hash]) => !succeeded.has(hash)).map(([hash]) => hash);
  return { overtaken, missing, repeated };
}

export const describeOrder = (found: OrderFindings): string =>
  `${found.events} events, ${found.kills} kills, ${found.requests} requests of which ${found.failed} failed, ` +
  `${found.repeated} repeated and ${found.replayed} replayed, in ${found.seconds.toFixed(1)} s; ` +
  `overtaken ${found.overtaken.length}, missing ${found.missing.length}`;
