import type { DeliveryKey } from '../../../ground/ids';
import { IS_DEAD_LETTER } from '../../journal/delivery-conditions';
import { columnsOf, rowsOf, type Transaction } from './transaction';

/** Dead letters of a target; negative if they are so many fewer. */
interface DeadLetters {
  target: number;
  count: number;
}

/** Deliveries became dead (1), or dead ones are about to be discarded (-1); only dead letters count. */
export async function countDeadLetters(
  transaction: Transaction,
  keys: readonly DeliveryKey[],
  change: 1 | -1,
): Promise<void> {
  if (keys.length === 0) return;
  const changes = await rowsOf<DeadLetters>(
    transaction,
    `SELECT k.target, $4::bigint * count(*) AS count FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS k(seq, target, n)
     JOIN deliveries d ON d.event_seq = k.seq AND d.target_id = k.target AND d.n = k.n
     WHERE d.state = 'dead' AND ${IS_DEAD_LETTER} GROUP BY k.target`,
    [...columnsOf(keys, 'seq', 'target', 'n'), change],
  );
  await addDeadLetters(transaction, changes);
}

/** Dead letters of events that are about to be removed. */
export async function removeDeadLetters(transaction: Transaction, seqs: readonly number[]): Promise<void> {
  const changes = await rowsOf<DeadLetters>(
    transaction,
    `SELECT target_id AS target, -count(*) AS count FROM deliveries d
     WHERE event_seq = ANY ($1::bigint[]) AND state = 'dead' AND ${IS_DEAD_LETTER} GROUP BY target_id`,
    [seqs],
  );
  await addDeadLetters(transaction, changes);
}

/** Counts a dead letter less for each of these. */
export const subtractDeadLetters = (transaction: Transaction, former: readonly { target: number }[]) =>
  addDeadLetters(
    transaction,
    former.map(({ target }) => ({ target, count: -1 })),
  );

/** In the transaction that changes the rows, so that the count always agrees with them. */
async function addDeadLetters(transaction: Transaction, changes: readonly DeadLetters[]): Promise<void> {
  if (changes.length === 0) return;
  for (const { target } of changes) transaction.deadLetterTargets.add(target);
  await rowsOf(
    transaction,
    `INSERT INTO dead_letter_counts(target, count)
     SELECT target, sum(count) FROM unnest($1::bigint[], $2::bigint[]) AS u(target, count) GROUP BY target ORDER BY target
     ON CONFLICT(target) DO UPDATE SET count = dead_letter_counts.count + excluded.count`,
    columnsOf(changes, 'target', 'count'),
  );
}

/** The counts of the targets that the transaction may have changed. */
export async function changedDeadLetters(
  transaction: Transaction,
): Promise<[target: number, count: number][]> {
  const targets = [...transaction.deadLetterTargets];
  if (targets.length === 0) return [];
  const rows = await rowsOf<DeadLetters>(
    transaction,
    'SELECT target, count FROM dead_letter_counts WHERE target = ANY ($1::bigint[])',
    [targets],
  );
  const counts = new Map(rows.map(({ target, count }) => [target, count]));
  return targets.map((target) => [target, counts.get(target) ?? 0]);
}
