import type { DeliveryKey } from '../../../ground/ids';
import { COMMON_SQL } from '../../journal/common-sql';
import { PRIORITY, type Ended, type EndDraft, type ScheduleDraft } from '../../journal/journal';
import { countDeadLetters, subtractDeadLetters } from './dead-letters';
import { laneKey, lockLanes, occupiedLanes, promote, releaseDelivered, type Lane } from './lanes';
import { columnsOf, rowsOf, type Transaction } from './transaction';

type EndableRow = Ended & { lane: string | null };

interface LastRow extends DeliveryKey {
  /** Whether it is a dead letter that a later delivery replaces. */
  isReplaced: 0 | 1;
}

/** The delivery that a draft retries. */
const retriedBy = ({ seq, target, retryOf }: Pick<ScheduleDraft, 'seq' | 'target' | 'retryOf'>) =>
  `${seq}:${target}:${retryOf}`;

const lanesOf = (drafts: readonly { target: number; lane?: string | null }[]): Lane[] =>
  drafts.flatMap(({ target, lane = null }) => (lane === null ? [] : [{ target, lane }]));

/**
 * Adds deliveries of stored events. Two transactions that do so at once for the same event and target get the same `n`:
 * the second one violates the key and is run again.
 */
export async function schedule(
  transaction: Transaction,
  drafts: readonly ScheduleDraft[],
): Promise<DeliveryKey[]> {
  if (drafts.length === 0) return [];
  const places = await leaveLanes(transaction, drafts);
  const laneFor = (draft: ScheduleDraft) => places.get(retriedBy(draft)) ?? draft.lane ?? null;
  const lanes = lanesOf(drafts.map((draft) => ({ target: draft.target, lane: laneFor(draft) })));
  await lockLanes(transaction, lanes);
  const occupied = await occupiedLanes(transaction, lanes);
  const last = await lastDeliveries(transaction, drafts);
  const replaced: { target: number }[] = [];
  const rows = drafts.map((draft) => {
    const { seq, target, trigger, isFirst } = draft;
    const lane = laneFor(draft);
    const previous = isFirst === true ? { n: -1, isReplaced: 0 } : last.get(`${seq}:${target}`);
    if (previous?.isReplaced === 1) replaced.push({ target });
    const key = { seq, target, n: (previous?.n ?? 0) + 1 };
    const waits = lane !== null && occupied.has(laneKey({ target, lane }));
    const state = waits ? 'waiting' : 'pending';
    last.set(`${seq}:${target}`, { ...key, isReplaced: 0 });
    if (lane !== null) occupied.add(laneKey({ target, lane }));
    const ofClass = draft.class ?? (trigger === 'replay' ? PRIORITY.replay : PRIORITY.live);
    return { ...draft, ...key, lane, state, dueAt: waits ? null : transaction.now, ofClass };
  });
  await subtractDeadLetters(transaction, replaced);
  await rowsOf(
    transaction,
    `INSERT INTO deliveries(event_seq, target_id, n, state, "trigger", replay_id, created_at, due_at, lane, class)
     SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::bigint[],
       $8::bigint[], $9::text[], $10::bigint[])`,
    columnsOf(rows, 'seq', 'target', 'n', 'state', 'trigger', 'replayId', 'at', 'dueAt', 'lane', 'ofClass'),
  );
  await rowsOf(
    transaction,
    `INSERT INTO delivery_targets(target_id, event_seq)
     SELECT DISTINCT * FROM unnest($1::bigint[], $2::bigint[]) ON CONFLICT DO NOTHING`,
    columnsOf(rows, 'target', 'seq'),
  );
  for (const row of rows) await addEditedBody(transaction, row);
  if (places.size > 0) await promote(transaction, lanes);
  return rows.map(({ seq, target, n }) => ({ seq, target, n }));
}

/** @returns the lanes that retried deliveries blocked as dead letters, by `retriedBy`; they have left them */
async function leaveLanes(
  transaction: Transaction,
  drafts: readonly ScheduleDraft[],
): Promise<Map<string, string>> {
  const retries = drafts.filter(({ retryOf }) => retryOf !== undefined);
  if (retries.length === 0) return new Map();
  const left = await rowsOf<DeliveryKey & { lane: string }>(
    transaction,
    `UPDATE deliveries d SET finished_at = k.at
     FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) AS k(seq, target, n, at)
     WHERE d.event_seq = k.seq AND d.target_id = k.target AND d.n = k.n AND d.state = 'dead' AND d.finished_at IS NULL
     RETURNING d.event_seq AS seq, d.target_id AS target, d.n, d.lane`,
    columnsOf(retries, 'seq', 'target', 'retryOf', 'at'),
  );
  // Each was a dead letter; those that another delivery follows are none any more.
  await subtractDeadLetters(transaction, left);
  await countDeadLetters(transaction, left, 1);
  return new Map(left.map(({ seq, target, n, lane }) => [retriedBy({ seq, target, retryOf: n }), lane]));
}

async function lastDeliveries(
  transaction: Transaction,
  drafts: readonly ScheduleDraft[],
): Promise<Map<string, LastRow>> {
  const rows = await rowsOf<LastRow>(
    transaction,
    `SELECT DISTINCT ON (d.event_seq, d.target_id) d.event_seq AS seq, d.target_id AS target, d.n,
       d.state = 'dead' AND d.finished_at IS NOT NULL AS "isReplaced"
     FROM unnest($1::bigint[], $2::bigint[]) AS k(seq, target)
     JOIN deliveries d ON d.event_seq = k.seq AND d.target_id = k.target
     ORDER BY d.event_seq, d.target_id, d.n DESC`,
    columnsOf(drafts, 'seq', 'target'),
  );
  return new Map(rows.map((row) => [`${row.seq}:${row.target}`, row]));
}

async function addEditedBody(
  transaction: Transaction,
  { seq, target, n, editedBody, retryOf }: ScheduleDraft & DeliveryKey,
): Promise<void> {
  if (editedBody !== undefined)
    await rowsOf(transaction, COMMON_SQL.insertEditedBody, [{ seq, target, n, body: editedBody }]);
  if (retryOf !== undefined)
    await rowsOf(transaction, COMMON_SQL.copyEditedBody, [{ seq, target, n, from: retryOf }]);
}

/** Ends a delivery without another attempt. @returns null if it was left unchanged */
export async function end(transaction: Transaction, draft: EndDraft): Promise<Ended | null> {
  const { key, note, at, asDeadLetter } = draft;
  const { target } = key;
  const [row] = await rowsOf<EndableRow>(transaction, `${COMMON_SQL.endable} FOR UPDATE`, [key]);
  if (row === undefined) return null;
  const { lane, ...ended } = row;
  if (lane !== null) await lockLanes(transaction, [{ target, lane }]);
  if (asDeadLetter !== undefined)
    return (await turnIntoDeadLetter(transaction, row, { ...draft, asDeadLetter })) ? ended : null;
  if (ended.previousState === 'dead') await countDeadLetters(transaction, [key], -1);
  await rowsOf(transaction, COMMON_SQL.cancel, [{ ...key, at, note }]);
  if (lane !== null) await promote(transaction, [{ target, lane }]);
  return ended;
}

/** @returns whether the delivery was queued, and is a dead letter now */
async function turnIntoDeadLetter(
  transaction: Transaction,
  { previousState: state, lane }: EndableRow,
  { key, note, at, asDeadLetter: { ending, blocksLane } }: Required<EndDraft>,
): Promise<boolean> {
  const { target } = key;
  if (state === 'dead') return false;
  const isHead = state !== 'waiting';
  // If dead letters block their lane, a delivery behind a queued one is still to be sent after it, and stays.
  if (lane !== null && blocksLane && !isHead && !(await isBlocked(transaction, { target, lane })))
    return false;
  // Only the head blocks the lane, by remaining its first unfinished delivery.
  const finishedAt = lane !== null && blocksLane && isHead ? null : at;
  await rowsOf(transaction, COMMON_SQL.makeDead, [{ ...key, finishedAt, note, ending }]);
  await countDeadLetters(transaction, [key], 1);
  transaction.traffic.recordDead(target, at);
  if (finishedAt === null) await releaseDelivered(transaction, [key], at);
  else if (lane !== null) await promote(transaction, [{ target, lane }]);
  return true;
}

/** Whether a dead letter blocks the lane. */
async function isBlocked(transaction: Transaction, lane: Lane): Promise<boolean> {
  const [first] = await rowsOf<{ state: string }>(transaction, COMMON_SQL.firstState, [lane]);
  return first?.state === 'dead';
}
