import { createHash } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import { sqliteDriver } from '../../../src/relay/database/sqlite-driver';
import type { Daemon } from '../daemon/daemon';
import type { RetryingSender, SentNotification } from '../fakes/retrying-sender';
import type { WitnessTarget } from '../fakes/witness-target';

/** What a kill found. */
export interface Kill {
  afterMs: number;
  /** Notifications whose request was at the daemon. */
  unanswered: number;
  /** Deliveries of notifications answered 200 that had not succeeded. */
  open: number;
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
  ackedLater: number;
  ackedAsDuplicate: number;
  givenUp: number;
  givenUpStored: number;
  answers: Record<string, number>;
  stored: number;
  requestsAtTarget: number;
  /** Requests beyond the one that succeeded: an answer that was lost with the process. */
  repeatsAtTarget: number;
  refusedAtTarget: number;
  drainMs: number;
  /** What must be empty: hashes of bodies, or ids. */
  lost: string[];
  storedTwice: string[];
  strangersStored: string[];
  undelivered: string[];
  strangersDelivered: string[];
  idsOfTwoBodies: string[];
  bodiesOfTwoIds: string[];
  idsOtherThanAcked: string[];
  unfinished: string[];
  bodiesOtherThanSent: string[];
}

/** So many bodies are compared byte by byte over REST in the end. */
const COMPARED_BODIES = 50;

/** Whether a kill found unanswered requests and open deliveries. */
export const isTelling = ({ unanswered, open }: Kill) => unanswered > 0 && open > 0;

/** The figures of a run as lines of text. */
export function describeKills(found: KillFindings): string {
  const { kills } = found;
  const both = kills.filter(isTelling).length;
  const of = (pick: (kill: Kill) => number) => kills.map(pick).join(' ');
  return [
    `${kills.length} kills, ${found.killedStarts} more during a start; ${both} found unanswered requests and open deliveries`,
    `  ms after listening: ${of(({ afterMs }) => afterMs)}`,
    `  unanswered at kill: ${of(({ unanswered }) => unanswered)}`,
    `  open at kill:       ${of(({ open }) => open)}`,
    `${found.notifications} notifications in ${found.seconds.toFixed(1)} s = ${found.perSecond.toFixed(0)}/s; attempts' answers: ${JSON.stringify(found.answers)}`,
    `acked ${found.acked} (${found.ackedLater} not at the first attempt, ${found.ackedAsDuplicate} as duplicates of their own lost answer); given up ${found.givenUp}, of which stored ${found.givenUpStored}`,
    `stored ${found.stored}; at the target ${found.requestsAtTarget} requests: ${found.refusedAtTarget} refused once, ${found.repeatsAtTarget} repeated after a success; drained in ${found.drainMs} ms`,
    `lost ${found.lost.length}, stored twice ${found.storedTwice.length}, undelivered ${found.undelivered.length}, foreign bytes stored ${found.strangersStored.length} delivered ${found.strangersDelivered.length}`,
  ].join('\n');
}

/** The bodies for which the target's 2xx went out. */
export function succeededAt(target: WitnessTarget): Set<string> {
  return new Set(target.succeeded.map(({ hash }) => hash));
}

/** Which of those answered 200 are not stored, and which are stored more than once, by their bytes. */
export async function judgeStored(file: string, acked: readonly SentNotification[]) {
  const stored = await countStored(file);
  return {
    lost: acked.filter(({ hash }) => !stored.has(hash)).map(({ hash }) => hash),
    twice: [...stored].filter(([, ids]) => ids.length > 1).map(([hash]) => hash),
  };
}

/** The seqs under which each body is stored; read in pieces, since the sender must keep its pace meanwhile. */
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
      await breathe();
    }
  } finally {
    connection.close();
  }
}

type Judged = Omit<
  KillFindings,
  'kills' | 'killedStarts' | 'seconds' | 'perSecond' | 'drainMs' | 'refusedAtTarget'
>;

export async function judge(daemon: Daemon, sender: RetryingSender, target: WitnessTarget): Promise<Judged> {
  const { notifications, acked } = sender;
  const sent = new Map(notifications.map((one) => [one.hash, one]));
  const stored = await countStored(daemon.databaseFile);
  const succeeded = succeededAt(target);
  const idsOfHash = grouped(target.received.map(({ hash, id }) => [hash, id]));
  const hashesOfId = grouped(target.received.map(({ hash, id }) => [id, hash]));
  const successes = target.succeeded.length;
  const givenUp = notifications.filter((one) => one.acked === null);

  const bodiesOtherThanSent: string[] = [];
  const step = Math.max(1, Math.floor(acked.length / COMPARED_BODIES));
  for (let i = 0; i < acked.length; i += step) {
    const id = acked[i]!.acked!.id!;
    const body = await daemon.eventBody(id);
    if (body === null || !body.equals(acked[i]!.body)) bodiesOtherThanSent.push(id);
  }
  return {
    notifications: notifications.length,
    acked: acked.length,
    ackedLater: acked.filter(({ attempts }) => attempts.length > 1).length,
    ackedAsDuplicate: acked.filter((one) => one.acked?.word === 'duplicate').length,
    givenUp: givenUp.length,
    givenUpStored: givenUp.filter(({ hash }) => stored.has(hash)).length,
    answers: tally(
      notifications.flatMap(({ attempts }) =>
        attempts.map(({ status, word }) => `${status ?? 'none'} ${word ?? ''}`),
      ),
    ),
    stored: stored.size,
    requestsAtTarget: target.received.length,
    repeatsAtTarget: successes - succeeded.size,
    lost: acked.filter(({ hash }) => !stored.has(hash)).map(({ hash }) => hash),
    storedTwice: [...stored].filter(([, seqs]) => seqs.length > 1).map(([hash]) => hash),
    strangersStored: [...stored.keys()].filter((hash) => !sent.has(hash)),
    // Whatever is stored is to be delivered, an event whose 200 was lost on the way included.
    undelivered: [...new Set([...stored.keys(), ...acked.map(({ hash }) => hash)])].filter(
      (hash) => !succeeded.has(hash),
    ),
    strangersDelivered: [...idsOfHash.keys()].filter((hash) => !sent.has(hash)),
    idsOfTwoBodies: [...hashesOfId].filter(([, hashes]) => hashes.size > 1).map(([id]) => id),
    bodiesOfTwoIds: [...idsOfHash].filter(([, ids]) => ids.size > 1).map(([hash]) => hash),
    idsOtherThanAcked: acked
      .filter((one) => idsOfHash.get(one.hash)?.has(one.acked?.id ?? '') === false)
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

function tally(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
