import type { FakeCopilot } from '../fakes/copilot';
import type { RetryingSender } from '../fakes/retrying-sender';
import type { WitnessTarget } from '../fakes/witness-target';
import { runSql } from '../postgres';

/** Of deals, whose events are in lanes. */
interface StoredEvent {
  seq: number;
  entity: string;
  hash: string;
}

const readEvents = (url: string) =>
  runSql<StoredEvent>(
    url,
    `SELECT seq::int, entity, encode(sha256(body), 'hex') AS hash FROM events WHERE entity IS NOT NULL ORDER BY seq`,
  );

/** By deal, its events in the order in which they first arrived at the target. */
function arrivals(events: readonly StoredEvent[], target: WitnessTarget): Map<string, number[]> {
  const byHash = new Map(events.map((event) => [event.hash, event]));
  const seen = new Set<string>();
  const byDeal = new Map<string, number[]>();
  for (const { hash } of target.received) {
    const event = byHash.get(hash);
    if (event === undefined || seen.has(hash)) continue;
    seen.add(hash);
    byDeal.set(event.entity, [...(byDeal.get(event.entity) ?? []), event.seq]);
  }
  return byDeal;
}

/** What must be empty after a run: hashes of bodies, and by deal the events that arrived in another order than they were stored. */
export const NO_FAULTS = { lost: [], undelivered: [], unordered: [] };

/** Compares what was acknowledged, stored and delivered once everything has been. */
export async function findFaults(url: string, sender: RetryingSender, target: WitnessTarget) {
  const events = await readEvents(url);
  const stored = new Set(events.map(({ hash }) => hash));
  const delivered = new Set(target.succeeded.map(({ hash }) => hash));
  return {
    lost: sender.acknowledged.map(({ hash }) => hash).filter((hash) => !stored.has(hash)),
    undelivered: events.filter(({ hash }) => !delivered.has(hash)),
    unordered: [...arrivals(events, target).values()].filter(
      (seqs) => !seqs.every((seq, i) => i === 0 || seqs[i - 1]! < seq),
    ),
  };
}

/** By refresh token, how often Co-Pilot was given it. */
export function renewals({ requests }: FakeCopilot): number[] {
  const counts = new Map<string, number>();
  for (const { path, body } of requests) {
    const token = path === '/oauth/token' ? new URLSearchParams(body).get('refresh_token') : null;
    if (token !== null) counts.set(token, (counts.get(token) ?? 0) + 1);
  }
  return [...counts.values()];
}
