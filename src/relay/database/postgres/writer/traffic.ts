import { columnsOf, rowsOf, type Transaction } from './transaction';

/** Writes the counts of attempts, at the end of the transaction. Sorted, so that two do not wait for each other. */
export async function writeTraffic(transaction: Transaction): Promise<void> {
  const rows = [...transaction.traffic.rows()].toSorted((a, b) => a.minute - b.minute || a.target - b.target);
  if (rows.length === 0) return;
  const counted = rows.map(({ attempts, ...row }) => ({ ...row, ...attempts }));
  await rowsOf(
    transaction,
    `INSERT INTO traffic_minutes AS t(minute, target, events, delivered, failed, dead)
     SELECT minute, target, 0, delivered, failed, dead
     FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
       AS u(minute, target, delivered, failed, dead)
     ON CONFLICT(minute, target) DO UPDATE SET
       delivered = t.delivered + excluded.delivered, failed = t.failed + excluded.failed, dead = t.dead + excluded.dead`,
    columnsOf(counted, 'minute', 'target', 'delivered', 'failed', 'dead'),
  );
  const errors = rows.flatMap(({ minute, target, errors: kinds }) =>
    [...(kinds ?? [])]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([error, counts]) => ({ minute, target, error, ...counts })),
  );
  if (errors.length === 0) return;
  await rowsOf(
    transaction,
    `INSERT INTO error_minutes AS t(minute, target, error, attempts, latest_at)
     SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[])
     ON CONFLICT(minute, target, error) DO UPDATE SET
       attempts = t.attempts + excluded.attempts, latest_at = greatest(t.latest_at, excluded.latest_at)`,
    columnsOf(errors, 'minute', 'target', 'error', 'attempts', 'latestAt'),
  );
}
