import type { DeliveryKey } from '../../../ground/ids';
import { IS_DEAD_LETTER } from '../../journal/delivery-conditions';
import { rowsOf, type Transaction } from './transaction';

/** Counts the dead letters of each target in the transaction that changes the rows, as `SqliteDeadLetters` does. */

/** Deliveries became dead (1), or dead ones are about to be discarded (-1); only dead letters count. */
export async function countDeadLetters(
  transaction: Transaction,
  keys: readonly DeliveryKey[],
  change: 1 | -1,
): Promise<void> {
  if (keys.length === 0) return;
  const counts = await rowsOf<{ target: number; count: number }>(
    transaction,
    `SELECT k.target, count(*) AS count FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS k(seq, target, n)
     JOIN deliveries d ON d.event_seq = k.seq AND d.target_id = k.target AND d.n = k.n
     WHERE d.state = 'dead' AND ${IS_DEAD_LETTER} GROUP BY k.target`,
    keys.map(({ seq }) => seq),
    keys.map(({ target }) => target),
    keys.map(({ n }) => n),
  );
  await addDeadLetters(transaction, new Map(counts.map(({ target, count }) => [target, count * change])));
}

/** Dead letters of events that are about to be removed. */
export async function removeDeadLetters(transaction: Transaction, seqs: readonly number[]): Promise<void> {
  const counts = await rowsOf<{ target: number; count: number }>(
    transaction,
    `SELECT target_id AS target, count(*) AS count FROM deliveries d
     WHERE event_seq = ANY ($1::bigint[]) AND state = 'dead' AND ${IS_DEAD_LETTER} GROUP BY target_id`,
    seqs,
  );
  await addDeadLetters(transaction, new Map(counts.map(({ target, count }) => [target, -count])));
}

/** @param changes by target */
export async function addDeadLetters(
  transaction: Transaction,
  changes: ReadonlyMap<number, number>,
): Promise<void> {
  if (changes.size === 0) return;
  const targets = [...changes.keys()].toSorted((a, b) => a - b);
  for (const target of targets) transaction.deadLetterTargets.add(target);
  await rowsOf(
    transaction,
    `INSERT INTO dead_letter_counts(target, count) SELECT * FROM unnest($1::bigint[], $2::bigint[])
     ON CONFLICT(target) DO UPDATE SET count = dead_letter_counts.count + excluded.count`,
    targets,
    targets.map((target) => changes.get(target)),
  );
}

/** The counts of the targets that the transaction may have changed. */
export async function changedDeadLetters(
  transaction: Transaction,
): Promise<[target: number, count: number][]> {
  const targets = [...transaction.deadLetterTargets];
  if (targets.length === 0) return [];
  const rows = await rowsOf<{ target: number; count: number }>(
    transaction,
    'SELECT target, count FROM dead_letter_counts WHERE target = ANY ($1::bigint[])',
    targets,
  );
  const counts = new Map(rows.map(({ target, count }) => [target, count]));
  return targets.map((target) => [target, counts.get(target) ?? 0]);
}
