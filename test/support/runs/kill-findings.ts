import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';
import type { Daemon } from '../daemon/daemon';
import type { RetryingSender, SentNotification } from '../fakes/retrying-sender';
import type { WitnessTarget } from '../fakes/witness-target';

/** The state at a kill. */
export interface Kill {
  afterMs: number;
  /** Notifications without a response yet. */
  unanswered: number;
  /** Acknowledged notifications that were not delivered yet. */
  queued: number;
  lost: string[];
  twice: string[];
}

export interface KillFindings {
  kills: Kill[];
  killedStarts: number;
  seconds: number;
  notifications: number;
  perSecond: number;
  acked: number;
  ackedOnRetry: number;
  ackedAsDuplicate: number;
  unacknowledged: number;
  unacknowledgedStored: number;
  responses: Record<string, number>;
  stored: number;
  requestsAtTarget: number;
  /** Requests after one that succeeded, whose result was lost with the process. */
  repeatsAtTarget: number;
  failedAtTarget: number;
  drainMs: number;
  /** These must be empty: hashes of bodies, or ids. */
  lost: string[];
  storedTwice: string[];
  foreignStored: string[];
  undelivered: string[];
  foreignDelivered: string[];
  idsOfTwoBodies: string[];
  bodiesOfTwoIds: string[];
  idsOtherThanAcked: string[];
  unfinished: string[];
  bodiesOtherThanSent: string[];
}

/** The number of bodies that are compared byte by byte over REST in the end. */
const COMPARED_BODIES = 50;

/** Whether a kill found unanswered requests and queued deliveries. */
export const isConclusive = ({ unanswered, queued: open }: Kill) => unanswered > 0 && open > 0;

/** The results of a run as lines of text. */
export function describeKills(found: KillFindings): string {
  const { kills } = found;
  const both = kills.filter(isConclusive).length;
  const of = (pick: (kill: Kill) => number) => kills.map(pick).join(' ');
  return [
    `${kills.length} kills, ${found.killedStarts} more during a start; ${both} found unanswered requests and queued deliveries`,
    `  ms after listening: ${of(({ afterMs }) => afterMs)}`,
    `  unanswered at kill: ${of(({ unanswered }) => unanswered)}`,
    `  queued at kill:     ${of(({ queued: open }) => open)}`,
    `${found.notifications} notifications in ${found.seconds.toFixed(1)} s = ${found.perSecond.toFixed(0)}/s; responses: ${JSON.stringify(found.responses)}`,
    `acked ${found.acked} (${found.ackedOnRetry} not at the first attempt, ${found.ackedAsDuplicate} as duplicates after a lost response); unacknowledged ${found.unacknowledged}, of which stored ${found.unacknowledgedStored}`,
    `stored ${found.stored}; at the target ${found.requestsAtTarget} requests: ${found.failedAtTarget} failed once, ${found.repeatsAtTarget} repeated after a success; drained in ${found.drainMs} ms`,
    `lost ${found.lost.length}, stored twice ${found.storedTwice.length}, undelivered ${found.undelivered.length}, foreign bytes stored ${found.foreignStored.length} delivered ${found.foreignDelivered.length}`,
  ].join('\n');
}

/** The hashes of the bodies for which the target sent a 2xx. */
export function succeededAt(target: WitnessTarget): Set<string> {
  return new Set(target.succeeded.map(({ hash }) => hash));
}

/** The hashes of acknowledged notifications that are not stored, and of bodies that are stored more than once. */
export async function checkStored(file: string, acked: readonly SentNotification[]) {
  const stored = await countStored(file);
  return {
    lost: acked.filter(({ hash }) => !stored.has(hash)).map(({ hash }) => hash),
    twice: [...stored].filter(([, ids]) => ids.length > 1).map(([hash]) => hash),
  };
}

/** The seqs of each stored body. Read in pages, so that the sender keeps its rate. */
async function countStored(file: string): Promise<Map<string, number[]>> {
  const connection = new sqliteDriver(file, { readonly: true });
  try {
    const page = connection.prepare<unknown[], { seq: number; body: Buffer }>(
      `SELECT seq, body FROM events WHERE seq > ? AND signature_header <> '' ORDER BY seq LIMIT 200`,
    );
    const stored = new Map<string, number[]>();
    for (let after = 0; ;) {
      const rows = page.all(after);
      if (rows.length === 0) return stored;
      for (const { seq, body } of rows) {
        const hash = createHash('sha256').update(body).digest('hex');
        stored.set(hash, [...(stored.get(hash) ?? []), seq]);
      }
      after = rows.at(-1)!.seq;
      await nextTurn();
    }
  } finally {
    connection.close();
  }
}

type RecordFindings = Omit<
  KillFindings,
  'kills' | 'killedStarts' | 'seconds' | 'perSecond' | 'drainMs' | 'failedAtTarget'
>;

export async function checkRecords(
  daemon: Daemon,
  sender: RetryingSender,
  target: WitnessTarget,
): Promise<RecordFindings> {
  const { notifications, acknowledged: acked } = sender;
  const sent = new Map(notifications.map((one) => [one.hash, one]));
  const stored = await countStored(daemon.databaseFile);
  const succeeded = succeededAt(target);
  const idsOfHash = grouped(target.received.map(({ hash, id }) => [hash, id]));
  const hashesOfId = grouped(target.received.map(({ hash, id }) => [id, hash]));
  const successes = target.succeeded.length;
  const unacknowledged = notifications.filter((one) => one.acknowledgement === null);

  const bodiesOtherThanSent: string[] = [];
  const step = Math.max(1, Math.floor(acked.length / COMPARED_BODIES));
  for (let i = 0; i < acked.length; i += step) {
    const id = acked[i]!.acknowledgement!.id!;
    const body = await daemon.eventBody(id);
    if (body === null || !body.equals(acked[i]!.body)) bodiesOtherThanSent.push(id);
  }
  return {
    notifications: notifications.length,
    acked: acked.length,
    ackedOnRetry: acked.filter(({ attempts }) => attempts.length > 1).length,
    ackedAsDuplicate: acked.filter((one) => one.acknowledgement?.code === 'duplicate').length,
    unacknowledged: unacknowledged.length,
    unacknowledgedStored: unacknowledged.filter(({ hash }) => stored.has(hash)).length,
    responses: tally(
      notifications.flatMap(({ attempts }) =>
        attempts.map(({ status, code }) => `${status ?? 'none'} ${code ?? ''}`),
      ),
    ),
    stored: stored.size,
    requestsAtTarget: target.received.length,
    repeatsAtTarget: successes - succeeded.size,
    lost: acked.filter(({ hash }) => !stored.has(hash)).map(({ hash }) => hash),
    storedTwice: [...stored].filter(([, seqs]) => seqs.length > 1).map(([hash]) => hash),
    foreignStored: [...stored.keys()].filter((hash) => !sent.has(hash)),
    // All stored events must be delivered, including those whose 200 was lost.
    undelivered: [...new Set([...stored.keys(), ...acked.map(({ hash }) => hash)])].filter(
      (hash) => !succeeded.has(hash),
    ),
    foreignDelivered: [...idsOfHash.keys()].filter((hash) => !sent.has(hash)),
    idsOfTwoBodies: [...hashesOfId].filter(([, hashes]) => hashes.size > 1).map(([id]) => id),
    bodiesOfTwoIds: [...idsOfHash].filter(([, ids]) => ids.size > 1).map(([hash]) => hash),
    idsOtherThanAcked: acked
      .filter((one) => idsOfHash.get(one.hash)?.has(one.acknowledgement?.id ?? '') === false)
      .map(({ hash }) => hash),
    unfinished: daemon
      .rows<{ state: string }>(`SELECT DISTINCT state FROM deliveries WHERE state <> 'succeeded'`)
      .map(({ state }) => state),
    bodiesOtherThanSent,
  };
}

function grouped(pairs: readonly (readonly [string, string])[]): Map<string, Set<string>> {
  const groups = new Map<string, Set<string>>();
  for (const [key, value] of pairs) {
    const group = groups.get(key);
    if (group === undefined) groups.set(key, new Set([value]));
    else group.add(value);
  }
  return groups;
}

function tally(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
