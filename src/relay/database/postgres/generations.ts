import type { Pool, PoolClient } from 'pg';
import { inTransaction } from './connect';
import { NOW_MS, SYSTEM_IDENTIFIER, TIMELINE } from './generation-sql';

interface Server {
  generation: number;
  /** Whether the server is still the one of this generation. */
  isSame: 0 | 1;
  /** The newest event. */
  seq: number;
  /** How many transactions of one writer, by its name in `writers`, are stored; null if nothing is known of it. */
  n: number | null;
}

const SERVER = `SELECT g.generation, (g.timeline = ${TIMELINE} AND g.system_identifier = ${SYSTEM_IDENTIFIER}) AS "isSame", e.seq,
    (SELECT n FROM writers WHERE name = $1) AS n
  FROM last_event e, (SELECT * FROM generations ORDER BY generation DESC LIMIT 1) g`;

/** What this daemon knows to be committed. */
interface Known {
  seq: number;
  commit: { writer: string; n: number };
}

const NOTHING = { writer: '', n: 0 };

/**
 * Detects that the server was replaced in a failover, or restored from a copy, which starts a new generation. Each
 * daemon then records what it knew to be committed in the previous one, and starts its application again.
 */
export class Generations {
  /** As the server said when the lease was renewed last; null before that. */
  current: number | null = null;
  private known: Known = { seq: 0, commit: NOTHING };

  constructor(private readonly pool: Pool) {}

  /** How many transactions of a writer of this daemon are committed. @param generation in which that is known */
  committed(generation: number, writer: string, n: number): void {
    if (generation === this.current) this.known.commit = { writer, n };
  }

  /** Events up to this one are committed. @param generation in which that is known: it may be an earlier one */
  stored(generation: number, seq: number): void {
    if (generation === this.current) this.known.seq = Math.max(this.known.seq, seq);
  }

  /** Compares the server with what is known of it. */
  async check(): Promise<void> {
    // Before the query: what is committed during it need not be in its result.
    const { seq, commit } = this.known;
    const server = await this.read(this.pool, commit.writer);
    this.current ??= server.generation;
    const isKnown = server.generation === this.current;
    const isBehind = isKnown && (server.seq < seq || (server.n !== null && server.n < commit.n));
    if (server.isSame === 1 && isKnown && !isBehind) return;
    const next = await inTransaction(this.pool, (client) => this.change(client, server.generation, isBehind));
    this.known = { seq: next.seq, commit: NOTHING };
    this.current = next.generation;
  }

  /** @param newest the newest generation, as it was read before the lock */
  private async change(client: PoolClient, newest: number, isBehind: boolean): Promise<Server> {
    // From here on no transaction of a writer is open, and each later one sees the new generation.
    await client.query('LOCK TABLE writers IN EXCLUSIVE MODE');
    const { known } = this;
    const server = await this.read(client, known.commit.writer);
    let { generation } = server;
    if (generation === newest && (server.isSame === 0 || isBehind)) {
      generation += 1;
      await client.query(
        `INSERT INTO generations(generation, system_identifier, timeline, began_at, kept_seq)
         VALUES ($1, ${SYSTEM_IDENTIFIER}, ${TIMELINE}, ${NOW_MS}, $2)`,
        [generation, server.seq],
      );
    }
    // Recorded in the first generation after the one that this daemon knew; server-migrations.ts has the columns.
    if (this.current !== null)
      await client.query(
        `UPDATE generations SET seen_seq = greatest(seen_seq, $2), lost_commits = lost_commits + $3, reports = reports + 1,
           is_told = is_told AND $2 <= greatest(kept_seq, seen_seq) AND $3::bigint = 0
         WHERE generation = (SELECT min(generation) FROM generations WHERE generation > $1)`,
        [this.current, known.seq, Math.max(0, known.commit.n - (server.n ?? known.commit.n))],
      );
    return { ...server, generation };
  }

  private async read(queryable: Pick<Pool, 'query'>, writer: string): Promise<Server> {
    const { rows } = await queryable.query(SERVER, [writer]);
    return rows[0] as Server;
  }
}
