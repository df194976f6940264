import { Client, type Pool } from 'pg';
import type { LeaderMessage } from '../../ground/leader-link';
import { Signal } from '../../ground/signal';
import { APPLICATION_NAME, CONNECT_TIMEOUT_MS, prepareSession } from './connect';

/**
 * What a daemon announces to the others. `events`: it has stored events, for these targets of other daemons if any;
 * `commits`: it has committed something else that concerns others; `changed`: a table that daemons have in memory;
 * `leader`: there is none, or a new one; `owners`: targets have no owner, or daemons have joined or left; `messages`:
 * the table `told` has messages for the leader; `told`: has one itself, of no use later. Earlier versions know these
 * names.
 */
export type Notice =
  | { kind: 'leader' | 'owners' | 'messages' }
  | { kind: 'events'; targets: number[] }
  /** `writer`: its name in the table `writers`. */
  | { kind: 'commits'; writer: string }
  | { kind: 'changed'; table: string }
  | { kind: 'told'; message: LeaderMessage };

/** The schema is part of the name: the server delivers to the whole database, which may have several schemas. */
export const CHANNEL = `'switchboard.' || current_schema()`;

const RECONNECT_EVERY_MS = 1_000;
/** A connection whose other end has vanished is detected after this, and the time of one query. */
const CHECK_EVERY_MS = 5_000;

/**
 * Listens for notices on a connection of its own. A notice only says what to read, and any may be lost: `onConnect` has
 * everything read after each connection.
 */
export class Notices {
  private readonly received = new Signal<[Notice]>();
  private readonly connected = new Signal();
  private client: Client | null = null;
  private timer: NodeJS.Timeout | null = null;
  private closed = false;

  constructor(
    private readonly url: string,
    private readonly pool: Pool,
  ) {}

  onNotice(listener: (notice: Notice) => void): void {
    this.received.subscribe(listener);
  }

  /** Calls `listener` after each connection, also the first. */
  onConnect(listener: () => void): void {
    this.connected.subscribe(listener);
  }

  async send(notice: Notice): Promise<void> {
    await this.pool.query(`SELECT pg_notify(${CHANNEL}, $1)`, [JSON.stringify(notice)]);
  }

  /** Connects, and does so again whenever the connection is lost. */
  async open(): Promise<void> {
    if (this.closed) return;
    const client = new Client({
      connectionString: this.url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: CHECK_EVERY_MS,
      application_name: `${APPLICATION_NAME} notices`,
      keepAlive: true,
    });
    this.client = client;
    const onLost = () => {
      if (this.client !== client) return;
      this.client = null;
      void client.end().catch(() => undefined);
      this.runIn(RECONNECT_EVERY_MS, () => void this.open());
    };
    client.on('error', onLost);
    client.on('end', onLost);
    client.on('notification', ({ payload = '' }) => this.received.emit(JSON.parse(payload) as Notice));
    try {
      await client.connect();
      await prepareSession(CHECK_EVERY_MS)(client);
      const { rows } = await client.query<{ channel: string }>(`SELECT ${CHANNEL} AS channel`);
      await client.query(`LISTEN ${client.escapeIdentifier(rows[0]!.channel)}`);
    } catch {
      return onLost();
    }
    this.connected.emit();
    const check = () => {
      client
        .query('SELECT 1')
        .then(() => this.client === client && this.runIn(CHECK_EVERY_MS, check), onLost);
    };
    this.runIn(CHECK_EVERY_MS, check);
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.timer !== null) clearTimeout(this.timer);
    const { client } = this;
    this.client = null;
    await client?.end().catch(() => undefined);
  }

  private runIn(delayMs: number, work: () => void): void {
    if (this.closed) return;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(work, delayMs);
  }
}
