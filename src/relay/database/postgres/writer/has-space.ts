import type { Pool } from 'pg';
import { inTransaction } from '../connect';

/** 256 KiB: a new table cannot reuse the space of removed rows. */
const TAKE_SPACE = `CREATE TEMP TABLE space ON COMMIT DROP AS
  SELECT repeat('x', 1000) AS bytes FROM generate_series(1, 256)`;

/** Whether the disk of the server has space for more than a small write. */
export const hasSpace = (pool: Pool): Promise<boolean> =>
  inTransaction(pool, (client) => client.query(TAKE_SPACE)).then(
    () => true,
    () => false,
  );
