import { COMMON_SQL } from '../../journal/common-sql';
import { isRetry, SYSTEM_EVENT_MINUTE, type Identity } from '../../journal/identity';
import type { AppendResult } from '../../journal/group';
import { EVENT_COLUMNS, unpackEvent, type PackedEvent, type UnpackedEvent } from '../../journal/packed-rows';
import { schedule } from './deliveries';
import { laneKey, occupiedLanes, type Lane } from './lanes';
import { columnsOf, rowsOf, type Transaction } from './transaction';

/** An event with the position that it gets if none before it is a duplicate. */
interface Candidate {
  event: UnpackedEvent;
  seq: number;
}

interface FirstEvent {
  seq: number;
  receivedAt: number;
  isErased: boolean;
}

const COLUMN_TYPES: Readonly<Record<string, string>> = {
  received_at: 'bigint',
  occurred_at: 'bigint',
  planned: 'bigint',
  body: 'bytea',
};

/** And sets the newest event. */
const INSERT_EVENTS = `WITH newest AS (UPDATE last_event SET seq = $1)
  INSERT INTO events(seq, version, ${EVENT_COLUMNS.join(', ')})
  SELECT * FROM unnest($2::bigint[], $3::bigint[], ${EVENT_COLUMNS.map((column, i) => `$${i + 4}::${COLUMN_TYPES[column] ?? 'text'}[]`).join(', ')})`;

const keyOf = ({ minute, hash }: Identity) => `${minute}:${hash}`;

/**
 * Stores events with their deliveries, and recognizes duplicates by their identity. The transaction must hold the row
 * of `last_event`, so that no other one has claimed an identity without having ended, and the locks of all planned
 * lanes.
 * @param lastSeq the newest event
 * @returns the outcomes, and the newest event after them
 */
export async function appendEvents(
  transaction: Transaction,
  packed: readonly PackedEvent[],
  lastSeq: number,
): Promise<{ outcomes: AppendResult[]; lastSeq: number }> {
  const events = packed.map(unpackEvent);
  const outcomes: AppendResult[] = [];
  const known = new Set<string>();
  const first: number[] = [];
  const repeated: number[] = [];
  for (const [i, { identity }] of events.entries()) {
    const key = keyOf(identity);
    (known.has(key) ? repeated : first).push(i);
    known.add(key);
  }
  let last = lastSeq;
  // What repeats an event of this group is compared with that event, which must have been stored.
  for (const places of [first, ...repeated.map((i) => [i])]) {
    const distinct = places.map((i) => events[i]!);
    const stored = await appendDistinct(transaction, distinct, last);
    for (const [k, i] of places.entries()) outcomes[i] = stored.outcomes[k]!;
    last = stored.lastSeq;
  }
  return { outcomes, lastSeq: last };
}

async function appendDistinct(
  transaction: Transaction,
  events: readonly UnpackedEvent[],
  lastSeq: number,
): Promise<{ outcomes: AppendResult[]; lastSeq: number }> {
  const candidates = events.map((event, i) => ({ event, seq: lastSeq + i + 1 }));
  const claimed = await claimIdentities(transaction, candidates);
  const originals = new Map<UnpackedEvent, FirstEvent>();
  for (const { event, seq } of candidates) {
    if (claimed.has(seq)) continue;
    const original = await firstOfIdentity(transaction, event.identity);
    // Else the first is too old; or it was pruned, but not its identity: its timestamp was ahead of its arrival.
    if (original !== null && isRetry(event.identity, event.receivedAt - original.receivedAt))
      originals.set(event, original);
  }
  const accepted = candidates
    .filter(({ event }) => !originals.has(event))
    .map((candidate, i) => ({ candidate, event: candidate.event, seq: lastSeq + i + 1 }));
  const moved = accepted.filter(({ candidate, seq }) => candidate.seq !== seq || !claimed.has(seq));
  await moveIdentities(transaction, moved);
  await Promise.all([insertEvents(transaction, accepted), insertDeliveries(transaction, accepted)]);
  const seqs = new Map(accepted.map(({ event, seq }) => [event, seq]));
  const outcomes: AppendResult[] = [];
  for (const event of events) {
    const original = originals.get(event);
    outcomes.push(
      original === undefined
        ? [seqs.get(event)!, event.receivedAt, false]
        : await appendDuplicate(transaction, event, original),
    );
  }
  return { outcomes, lastSeq: lastSeq + accepted.length };
}

/** @returns the positions of the events whose identity was new */
async function claimIdentities(
  transaction: Transaction,
  candidates: readonly Candidate[],
): Promise<Set<number>> {
  const rows = await rowsOf<{ seq: number }>(
    transaction,
    `INSERT INTO identities(minute, hash, seq) SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::bigint[])
     ON CONFLICT DO NOTHING RETURNING seq`,
    identityColumns(candidates),
  );
  return new Set(rows.map(({ seq }) => seq));
}

async function moveIdentities(transaction: Transaction, moved: readonly Candidate[]): Promise<void> {
  if (moved.length === 0) return;
  await rowsOf(
    transaction,
    `UPDATE identities i SET seq = m.seq
     FROM unnest($1::bigint[], $2::bytea[], $3::bigint[]) AS m(minute, hash, seq)
     WHERE i.minute = m.minute AND i.hash = m.hash`,
    identityColumns(moved),
  );
}

const identityColumns = (candidates: readonly Candidate[]) => [
  candidates.map(({ event }) => event.identity.minute),
  candidates.map(({ event }) => Buffer.from(event.identity.hash, 'hex')),
  candidates.map(({ seq }) => seq),
];

async function firstOfIdentity(
  transaction: Transaction,
  { minute, hash }: Identity,
): Promise<FirstEvent | null> {
  const [first] = await rowsOf<FirstEvent>(
    transaction,
    `SELECT seq, received_at AS "receivedAt",
       EXISTS (SELECT 1 FROM erased_events x WHERE x.seq = e.seq) AS "isErased" FROM events e
     WHERE seq = (SELECT seq FROM identities WHERE minute = $1 AND hash = $2)`,
    [minute, Buffer.from(hash, 'hex')],
  );
  return first ?? null;
}

async function insertEvents(transaction: Transaction, accepted: readonly Candidate[]): Promise<void> {
  if (accepted.length === 0) return;
  await rowsOf(transaction, INSERT_EVENTS, [
    accepted.at(-1)!.seq,
    accepted.map(({ seq }) => seq),
    accepted.map(({ event }) => event.version),
    ...EVENT_COLUMNS.map((_, column) => accepted.map(({ event }) => event.values[column])),
  ]);
}

/** The deliveries are due immediately, unless their lane is occupied. */
async function insertDeliveries(transaction: Transaction, accepted: readonly Candidate[]): Promise<void> {
  const occupied = await occupiedLanes(transaction, plannedLanes(accepted.map(({ event }) => event)));
  const rows = accepted.flatMap(({ event, seq }) =>
    event.planned.map(({ target, lane }) => {
      const key = lane === null ? null : laneKey({ target, lane });
      const waits = key !== null && occupied.has(key);
      if (key !== null) occupied.add(key);
      const state = waits ? 'waiting' : 'pending';
      return { seq, target, lane, at: event.receivedAt, state, dueAt: waits ? null : transaction.now };
    }),
  );
  if (rows.length === 0) return;
  await rowsOf(
    transaction,
    `INSERT INTO deliveries(event_seq, target_id, n, state, "trigger", created_at, due_at, lane)
     SELECT seq, target, 0, state, 'live', at, due_at, lane
     FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::text[])
       AS u(seq, target, state, at, due_at, lane)`,
    columnsOf(rows, 'seq', 'target', 'state', 'at', 'dueAt', 'lane'),
  );
}

/** The lanes that deliveries of these events may enter. */
export const plannedLanes = (events: readonly Pick<UnpackedEvent, 'planned'>[]): Lane[] =>
  events.flatMap(({ planned }) =>
    planned.flatMap(({ target, lane }) => (lane === null ? [] : [{ target, lane }])),
  );

async function appendDuplicate(
  transaction: Transaction,
  { identity, planned, receivedAt }: UnpackedEvent,
  first: FirstEvent,
): Promise<AppendResult> {
  // Published again after a restart, it is no notification that somebody repeated; of an erased one nothing is left that
  // could be delivered.
  if (identity.minute === SYSTEM_EVENT_MINUTE || first.isErased) return [first.seq, first.receivedAt, true];
  const deliveries: NonNullable<AppendResult[3]> = [];
  for (const { target, lane, takesDuplicates } of planned) {
    if (takesDuplicates !== true) continue;
    // In the lane only while another delivery of the event is queued there: after that, newer events of the lane may
    // have been delivered.
    const inLane = (await isQueuedInLane(transaction, first.seq, target, lane)) ? lane : null;
    const draft = { seq: first.seq, target, trigger: 'live', replayId: null, at: receivedAt } as const;
    const [key] = await schedule(transaction, [{ ...draft, lane: inLane }]);
    deliveries.push({ key: key!, lane: inLane });
  }
  const targets = deliveries.map(({ key }) => key.target);
  const duplicate = {
    seq: first.seq,
    receivedAt,
    state: targets.length > 0 && targets.length === planned.length ? 'released' : 'held',
    deliveredTo: targets.length === 0 ? null : JSON.stringify(targets),
  };
  await rowsOf(transaction, COMMON_SQL.insertDuplicate, [duplicate]);
  return deliveries.length === 0
    ? [first.seq, first.receivedAt, true]
    : [first.seq, first.receivedAt, true, deliveries];
}

async function isQueuedInLane(
  transaction: Transaction,
  seq: number,
  target: number,
  lane: string | null,
): Promise<boolean> {
  if (lane === null) return false;
  return (await rowsOf(transaction, COMMON_SQL.unfinishedInLane, [{ seq, target, lane }])).length > 0;
}
