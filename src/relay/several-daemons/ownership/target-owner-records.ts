import type { Pool } from 'pg';
import { inTransaction } from '../../database/postgres/connect';

/** A target, and who delivers to it. */
export interface TargetOwner {
  target: number;
  /** The id of its daemon; null if the target was released, or never taken. */
  daemon: string | null;
  /** Whether the lease of that daemon runs. */
  isAlive: boolean;
  /** For a listener, which the leader owns: the id of that daemon, '' while none leads. Null for any other target. */
  leader: string | null;
}

/** A target that a daemon owns. */
export interface OwnedTarget {
  target: number;
  /** How often the target was taken so far. */
  epoch: number;
}

const LOCK_TIMEOUT_MS = 1_000;

const OWNERS = `SELECT t.number AS target, o.daemon, coalesce(d.alive_until > clock_timestamp(), FALSE) AS "isAlive",
    CASE WHEN t.listener IS NOT NULL THEN coalesce((SELECT daemon FROM leader), '') END AS leader
  FROM targets t LEFT JOIN target_owners o ON o.target = t.number LEFT JOIN daemons d ON d.id = o.daemon
  WHERE t.deleted_at IS NULL ORDER BY t.number`;

/** None while a daemon of an earlier version leads: that one delivers to all targets. */
const CANDIDATES = `SELECT id FROM daemons WHERE delivers AND alive_until > clock_timestamp()
  AND NOT EXISTS (SELECT 1 FROM leader l JOIN daemons d ON d.id = l.daemon
    WHERE d.delivers IS NULL AND d.alive_until > clock_timestamp()) ORDER BY id`;

const FREE = `SELECT o.target FROM target_owners o WHERE o.target = ANY ($1::bigint[]) AND (o.daemon IS NULL OR o.daemon = $2
    OR NOT EXISTS (SELECT 1 FROM daemons d WHERE d.id = o.daemon AND d.alive_until > clock_timestamp()))
  ORDER BY o.target FOR UPDATE`;

/** Who owns each target. The lease of an owner is that of its daemon, which it renews for all its targets at once. */
export class TargetOwnerRecords {
  constructor(private readonly pool: Pool) {}

  /** Of all targets. */
  async owners(): Promise<TargetOwner[]> {
    const { rows } = await this.pool.query<{ [column: string]: unknown }>(OWNERS);
    return rows.map((row) => ({ ...row, isAlive: row['isAlive'] === 1 }) as TargetOwner);
  }

  /** The ids of the daemons among which the targets are divided. */
  async candidates(): Promise<string[]> {
    const { rows } = await this.pool.query<{ id: string }>(CANDIDATES);
    return rows.map(({ id }) => id);
  }

  async ownedBy(daemon: string): Promise<OwnedTarget[]> {
    const sql = 'SELECT target, epoch FROM target_owners WHERE daemon = $1';
    return (await this.pool.query(sql, [daemon])).rows as OwnedTarget[];
  }

  /**
   * Makes a daemon the owner of those targets that nobody alive owns, or that an earlier application of this daemon
   * owns. The rows of dead owners are locked meanwhile, so that none can renew its lease without seeing its loss.
   */
  async take(daemon: string, targets: readonly number[]): Promise<OwnedTarget[]> {
    return inTransaction(this.pool, async (client) => {
      // The pool has one connection, on which the lease is renewed too.
      await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
      await client.query(
        `INSERT INTO target_owners(target, daemon, epoch) SELECT target, NULL, 0 FROM unnest($1::bigint[]) AS t(target)
         ORDER BY target ON CONFLICT DO NOTHING`,
        [targets],
      );
      await client.query(
        `SELECT 1 FROM daemons WHERE alive_until <= clock_timestamp()
           AND id IN (SELECT daemon FROM target_owners WHERE target = ANY ($1::bigint[])) ORDER BY id FOR UPDATE`,
        [targets],
      );
      const { rows: free } = await client.query<{ target: number }>(FREE, [targets, daemon]);
      const { rows } = await client.query<OwnedTarget & { [column: string]: unknown }>(
        `UPDATE target_owners SET daemon = $2, epoch = epoch + 1 WHERE target = ANY ($1::bigint[]) RETURNING target, epoch`,
        [free.map(({ target }) => target), daemon],
      );
      return rows;
    });
  }

  async release(daemon: string, { target, epoch }: OwnedTarget): Promise<void> {
    await this.pool.query(
      'UPDATE target_owners SET daemon = NULL WHERE target = $1 AND daemon = $2 AND epoch = $3',
      [target, daemon, epoch],
    );
  }

  /** Forgets the owner of a removed target. */
  async forget(target: number): Promise<void> {
    await this.pool.query('DELETE FROM target_owners WHERE target = $1', [target]);
  }
}
