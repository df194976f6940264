import type { DeliveryKey } from '../../../ground/ids';
import { COMMON_SQL } from '../../journal/common-sql';
import { DEAD_LETTER_COUNT, HAS_UNFINISHED } from '../../journal/delivery-conditions';
import { UNDATED_MINUTE } from '../../journal/identity';
import type { PruneResult } from '../../journal/group';
import type { PrunableEvent, PruneStep } from '../../journal/prune-step';
import { removeDeadLetters } from './dead-letters';
import { end } from './deliveries';
import { readEventBytes, subtractEventBytes } from './event-bytes';
import { indexThrough } from './event-indexes';
import { rowsOf, type Transaction } from './transaction';

// Rows that are found through other rows come first.
const REMOVALS = [
  'DELETE FROM event_types x USING events e WHERE e.seq = ANY ($1::bigint[]) AND x.type = e.type AND x.seq = e.seq',
  'DELETE FROM event_entities x USING events e WHERE e.seq = ANY ($1::bigint[]) AND x.entity = e.entity AND x.seq = e.seq',
  `DELETE FROM delivery_targets x USING deliveries d
   WHERE d.event_seq = ANY ($1::bigint[]) AND x.target_id = d.target_id AND x.event_seq = d.event_seq`,
  ...['deliveries', 'attempts', 'duplicates', 'edited_bodies', 'routed'].map(
    (table) => `DELETE FROM ${table} WHERE event_seq = ANY ($1::bigint[])`,
  ),
  `DELETE FROM identities WHERE minute <= ${UNDATED_MINUTE} AND seq = ANY ($1::bigint[])`,
  ...['erased_events', 'events'].map((table) => `DELETE FROM ${table} WHERE seq = ANY ($1::bigint[])`),
];

/** Removes events with everything that belongs to them. Checks each again: it may have received deliveries since. */
export async function prune(transaction: Transaction, step: PruneStep): Promise<PruneResult> {
  const { cancel, removeIdentitiesBefore, beforeRemoval = [] } = step;
  const events = await readRemovable(transaction, step);
  const seqs = events.map(({ seq }) => seq);
  // Events must be counted before they are removed.
  await indexThrough(transaction, Math.max(0, ...seqs));
  if (beforeRemoval.length > 0) await runBeforeRemoval(transaction, seqs, beforeRemoval);
  const unfinished = events.filter((event) => event.unfinished === 1).map(({ seq }) => seq);
  const ended = cancel === undefined ? [] : await cancelAll(transaction, unfinished, cancel);
  if (seqs.length > 0) {
    await subtractEventBytes(transaction, seqs);
    await removeDeadLetters(transaction, seqs);
    for (const sql of REMOVALS) await rowsOf(transaction, sql, [seqs]);
    await rowsOf(transaction, 'UPDATE instance SET pruned_through = greatest(pruned_through, $1)', [
      Math.max(...seqs),
    ]);
  }
  await removeIdentities(transaction, removeIdentitiesBefore);
  return {
    removed: events.length,
    deadLetters: events.reduce((sum, { deadLetters }) => sum + deadLetters, 0),
    cancelled: ended.length,
    size: await readEventBytes(transaction),
    ended,
  };
}

async function readRemovable(
  transaction: Transaction,
  { seqs, deadLetters, cancel }: PruneStep,
): Promise<PrunableEvent[]> {
  const events = await rowsOf<PrunableEvent>(
    transaction,
    `SELECT seq, ${HAS_UNFINISHED} AS unfinished, ${DEAD_LETTER_COUNT} AS "deadLetters" FROM events e
     WHERE seq = ANY ($1::bigint[]) AND seq < (SELECT seq FROM last_event) ORDER BY seq`,
    [seqs],
  );
  return events.filter(
    (event) =>
      (event.unfinished === 0 || cancel !== undefined) && (event.deadLetters === 0 || deadLetters === true),
  );
}

async function runBeforeRemoval(
  transaction: Transaction,
  seqs: readonly number[],
  statements: NonNullable<PruneStep['beforeRemoval']>,
): Promise<void> {
  await transaction.client.query('CREATE TEMP TABLE removed_events(seq BIGINT PRIMARY KEY) ON COMMIT DROP');
  await rowsOf(transaction, 'INSERT INTO pg_temp.removed_events(seq) SELECT unnest($1::bigint[])', [seqs]);
  for (const [sql, parameters] of statements) await transaction.client.query(sql, parameters);
  await transaction.client.query('DROP TABLE pg_temp.removed_events');
}

async function cancelAll(
  transaction: Transaction,
  seqs: readonly number[],
  cancel: NonNullable<PruneStep['cancel']>,
): Promise<PruneResult['ended']> {
  const keys = await rowsOf<DeliveryKey>(
    transaction,
    `SELECT event_seq AS seq, target_id AS target, n FROM deliveries
     WHERE event_seq = ANY ($1::bigint[]) AND finished_at IS NULL ORDER BY event_seq, n`,
    [seqs],
  );
  const ended: PruneResult['ended'] = [];
  for (const key of keys) {
    const outcome = await end(transaction, { key, ...cancel });
    if (outcome !== null) ended.push({ key, ...outcome, deadLetter: null });
  }
  return ended;
}

async function removeIdentities(
  transaction: Transaction,
  before: PruneStep['removeIdentitiesBefore'],
): Promise<void> {
  const [oldest] = await rowsOf<{ at: number }>(
    transaction,
    'SELECT received_at AS at FROM events ORDER BY seq LIMIT 1',
  );
  const minute = Math.floor((before ?? oldest?.at ?? 0) / 60_000);
  await rowsOf(transaction, COMMON_SQL.removeIdentities, [{ minute }]);
}
