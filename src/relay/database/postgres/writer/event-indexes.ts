import { COMMON_SQL, indexEntities } from '../../journal/common-sql';
import { rowsOf, type Transaction } from './transaction';

/** The events that one pass indexes and counts. */
export const PASS_EVENTS = 1_000;

/**
 * Adds events to the search indexes of types, entities and targets, and counts them. The row of `instance` is locked,
 * so that no range is counted twice, and indexes and counts agree after a crash.
 */
export async function indexThrough(transaction: Transaction, through: number): Promise<void> {
  const [instance] = await rowsOf<{ after: number }>(
    transaction,
    'SELECT indexed_through AS after FROM instance FOR UPDATE',
  );
  const { after } = instance!;
  if (through <= after) return;
  const range = [{ after, through }];
  await rowsOf(transaction, COMMON_SQL.indexTypes, range);
  await rowsOf(transaction, indexEntities('version'), range);
  await rowsOf(
    transaction,
    `INSERT INTO delivery_targets(target_id, event_seq)
     SELECT DISTINCT target_id, event_seq FROM deliveries WHERE event_seq > $1 AND event_seq <= $2
     ORDER BY target_id, event_seq ON CONFLICT DO NOTHING`,
    [after, through],
  );
  await rowsOf(transaction, COMMON_SQL.countEvents, range);
  await rowsOf(transaction, 'UPDATE instance SET indexed_through = $1', [through]);
}
