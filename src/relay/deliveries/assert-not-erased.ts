import type { DataSource } from 'typeorm';
import { RelayError } from '../ground/relay-error';

/** @param seq of the event of a delivery @throws RelayError `event_erased`, 410 */
export async function assertNotErased(source: DataSource, seq: number): Promise<void> {
  const sql = 'SELECT 1 AS one FROM erased_events WHERE seq = ?';
  if ((await source.query<unknown[]>(sql, [seq])).length === 0) return;
  throw new RelayError('event_erased', 410, 'The content of the event of this delivery was erased.', {
    remedy: 'GET /api/v1/deliveries/:id shows what is kept of it.',
  });
}
