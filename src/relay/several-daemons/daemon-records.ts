import type { Pool } from 'pg';
import type { DaemonRecord } from '../ground/daemons';
import type { LeaderMessage } from '../ground/leader-link';
import { inTransaction } from '../database/postgres/connect';
import { CHANNEL } from '../database/postgres/notices';

/** A daemon that has not renewed its lease for this long is dead, and another one may lead in its place. */
export const LEASE_MS = 10_000;

/** Dead daemons are listed for this long. */
const FORGET_AFTER_MS = 24 * 60 * 60_000;

/** Who leads at present. */
export interface Leader {
  /** Counts the leaders so far. */
  epoch: number;
  /** The id of its daemon; null after it has given up its lease. */
  daemon: string | null;
  /** Where to reach it; null while it does not listen yet. */
  address: string | null;
  /** How long its lease still runs: 0 if it has run out. */
  remainingMs: number;
  /** How long until the lease of a live daemon can run out; others then take its place and targets. */
  nextEndMs: number;
  /** Where the daemons are reached, also those that died within the last day, separated by spaces. */
  addresses: string;
}

/** The row of a daemon. */
export interface Member {
  id: string;
  version: string;
  /** Whether targets may be assigned to it. */
  delivers: boolean;
}

const AHEAD = `clock_timestamp() + ${LEASE_MS} * interval '1 ms'`;

const RENEW = `INSERT INTO daemons(id, version, started_at, alive_until, delivers)
  VALUES ($1, $2, clock_timestamp(), ${AHEAD}, $3::bigint = 1)
  ON CONFLICT (id) DO UPDATE SET alive_until = ${AHEAD}, delivers = excluded.delivers`;

const LEADER = `SELECT l.epoch, l.daemon, d.address,
    coalesce(greatest(0, ceil(extract(epoch FROM d.alive_until - clock_timestamp()) * 1000)), 0)::bigint AS "remainingMs",
    (SELECT ceil(extract(epoch FROM min(alive_until) - clock_timestamp()) * 1000) FROM daemons
      WHERE alive_until > clock_timestamp())::bigint AS "nextEndMs",
    (SELECT coalesce(string_agg(address, ' '), '') FROM daemons) AS addresses
  FROM leader l LEFT JOIN daemons d ON d.id = l.daemon`;

const FORGOTTEN = `alive_until < clock_timestamp() - ${FORGET_AFTER_MS} * interval '1 ms'`;

/** Without dead daemons at whose address another one is alive: they were started again. */
const LIST = `SELECT d.id, coalesce(d.address, '') AS address, d.version,
    floor(extract(epoch FROM d.alive_until) * 1000)::bigint AS "aliveUntil",
    (d.alive_until > clock_timestamp()) AS "isAlive",
    (l.daemon IS NOT NULL AND d.alive_until > clock_timestamp()) AS "isLeader",
    CASE WHEN d.delivers IS NULL AND l.daemon IS NOT NULL THEN NULL ELSE (
      SELECT coalesce(json_agg(o.target ORDER BY o.target), '[]') FROM target_owners o JOIN targets t ON t.number = o.target
      WHERE o.daemon = d.id AND t.deleted_at IS NULL AND d.alive_until > clock_timestamp()) END AS targets
  FROM daemons d LEFT JOIN leader l ON l.daemon = d.id
  WHERE d.alive_until > clock_timestamp() OR NOT (d.${FORGOTTEN} OR EXISTS (
    SELECT 1 FROM daemons o WHERE o.address = d.address AND o.alive_until > clock_timestamp()))
  ORDER BY d.started_at, d.id`;

/**
 * The leases of the daemons and of the leader. Every time is the server's: the clocks of daemons may differ. The
 * leader's lease is that of its daemon, and `epoch` distinguishes it from all earlier ones.
 */
export class DaemonRecords {
  constructor(private readonly pool: Pool) {}

  /** Renews the lease of a daemon, which is added if it is new. @returns who leads, read after that */
  async renew({ id, version, delivers }: Member): Promise<Leader> {
    await this.pool.query(RENEW, [id, version, delivers]);
    return this.leader();
  }

  async leader(): Promise<Leader> {
    const { rows } = await this.pool.query<Leader & { [column: string]: unknown }>(LEADER);
    return rows[0]!;
  }

  /**
   * Makes a daemon the leader if there is none whose lease runs. The old leader's row is locked meanwhile, so that it
   * cannot renew its lease without seeing the new epoch.
   * @returns whether it leads now
   */
  async takeOver({ id }: Pick<Member, 'id'>): Promise<boolean> {
    return inTransaction(this.pool, async (client) => {
      const { rows } = await client.query<{ daemon: string | null }>('SELECT daemon FROM leader FOR UPDATE');
      const { daemon } = rows[0]!;
      const { rows: alive } = await client.query<{ alive: 0 | 1 }>(
        'SELECT alive_until > clock_timestamp() AS alive FROM daemons WHERE id = $1 FOR UPDATE',
        [daemon],
      );
      const isFree = alive[0]?.alive !== 1;
      if (isFree) {
        await client.query('UPDATE leader SET epoch = epoch + 1, daemon = $1', [id]);
        await client.query(
          `WITH forgotten AS (DELETE FROM daemons WHERE ${FORGOTTEN} RETURNING id)
           DELETE FROM writers w USING forgotten f WHERE starts_with(w.name, f.id)`,
        );
      }
      return isFree;
    });
  }

  /** @param port at the address that the server sees, unless `host` is given */
  async setAddress({ id }: Pick<Member, 'id'>, host: string | null, port: number): Promise<void> {
    await this.pool.query(
      `UPDATE daemons SET address = format('http://%s:%s', coalesce($2::text, CASE
         WHEN inet_client_addr() IS NULL THEN '127.0.0.1'
         WHEN family(inet_client_addr()) = 6 THEN '[' || host(inet_client_addr()) || ']'
         ELSE host(inet_client_addr()) END), $3::bigint) WHERE id = $1`,
      [id, host, port],
    );
  }

  /** Ends the lease of a daemon, and its leadership. */
  async leave({ id }: Pick<Member, 'id'>): Promise<void> {
    await this.pool.query('UPDATE leader SET daemon = NULL WHERE daemon = $1', [id]);
    await this.pool.query('DELETE FROM daemons WHERE id = $1', [id]);
    await this.pool.query('DELETE FROM writers WHERE starts_with(name, $1)', [id]);
  }

  /** Leaves a message for the leader, or the next one. */
  async leaveMessage(message: LeaderMessage): Promise<void> {
    await this.pool.query(
      `WITH message AS (INSERT INTO told(message) VALUES ($1)) SELECT pg_notify(${CHANNEL}, '{"kind":"messages"}')`,
      [JSON.stringify(message)],
    );
  }

  /**
   * Removes the messages, unless another daemon leads by now.
   * @param epoch in which the one that takes them leads
   * @returns them, in the order in which they were left
   */
  async takeMessages(epoch: number): Promise<LeaderMessage[]> {
    const { rows } = await this.pool.query<{ message: string }>(
      `WITH led AS (SELECT 1 FROM leader WHERE epoch = $1 FOR SHARE),
            taken AS (DELETE FROM told WHERE EXISTS (SELECT 1 FROM led) RETURNING id, message)
       SELECT message FROM taken ORDER BY id`,
      [epoch],
    );
    return rows.map(({ message }) => JSON.parse(message) as LeaderMessage);
  }

  close(): Promise<void> {
    return this.pool.end();
  }

  async list(): Promise<DaemonRecord[]> {
    const { rows } = await this.pool.query<{ targets: string | null; [column: string]: unknown }>(LIST);
    return rows.map(
      ({ targets, ...row }) =>
        ({
          ...row,
          isAlive: row['isAlive'] === 1,
          isLeader: row['isLeader'] === 1,
          targets: targets === null ? null : (JSON.parse(targets) as number[]),
        }) as DaemonRecord,
    );
  }
}
