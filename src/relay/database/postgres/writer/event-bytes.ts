import type { DatabaseSize } from '../../journal/prune-step';
import { rowsOf, type Transaction } from './transaction';

/** Events that one step counts: notifications wait for it. */
const STEP_EVENTS = 2_000;

/**
 * SQL: the bytes of an event and of what belongs to it, with its shares of indexes and pages. Measured with PostgreSQL
 * 18: 600 for the rows of an event without its texts, 400 for a delivery that succeeds at once, a quarter more for
 * texts, large ones compressed and in a table of their own. Only from columns that do not change but by an
 * erasure, which counts anew, so that what is removed is what was counted. Replays, further attempts and what belongs to no event are not counted.
 */
const BYTES = `coalesce(sum((pg_column_size(body) + pg_column_size(headers)) * 5 / 4 + 600 + 400 * coalesce(planned, 0)), 0)::bigint`;

/** Counts more events. The size of the tables does not show it: the space of removed rows is kept for others. */
export async function countEventBytes(transaction: Transaction): Promise<DatabaseSize> {
  const [row] = await rowsOf<{ bytes: number; isIncomplete: boolean }>(
    transaction,
    `UPDATE event_bytes SET (bytes, counted_through) = (
       SELECT event_bytes.bytes + ${BYTES}, greatest(event_bytes.counted_through, max(seq)) FROM (
         SELECT seq, body, headers, planned FROM events WHERE seq > event_bytes.counted_through ORDER BY seq LIMIT ${STEP_EVENTS}) e)
     RETURNING bytes, EXISTS (SELECT 1 FROM events WHERE seq > event_bytes.counted_through) AS "isIncomplete"`,
  );
  const { bytes, isIncomplete } = row!;
  return { usedBytes: bytes, freeBytes: 0, isIncomplete };
}

/** Of the events that were counted. */
export async function readEventBytes(transaction: Transaction): Promise<DatabaseSize> {
  const [row] = await rowsOf<{ bytes: number }>(transaction, 'SELECT bytes FROM event_bytes');
  return { usedBytes: row!.bytes, freeBytes: 0 };
}

/** To be called before they are removed or erased. */
export const subtractEventBytes = (transaction: Transaction, seqs: readonly number[]) =>
  changeEventBytes(transaction, '-', seqs);

/** To be called after they were erased. */
export const addEventBytes = (transaction: Transaction, seqs: readonly number[]) =>
  changeEventBytes(transaction, '+', seqs);

async function changeEventBytes(
  transaction: Transaction,
  by: '+' | '-',
  seqs: readonly number[],
): Promise<void> {
  await rowsOf(
    transaction,
    `UPDATE event_bytes SET bytes = greatest(0, event_bytes.bytes ${by} (
       SELECT ${BYTES} FROM events WHERE seq = ANY ($1::bigint[]) AND seq <= event_bytes.counted_through))`,
    [seqs],
  );
}
