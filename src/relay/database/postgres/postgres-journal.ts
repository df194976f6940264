import type { Pool } from 'pg';
import type { Clock } from '../../ground/clock';
import type { Log } from '../../ground/log';
import type { TimeBounds } from '../../ground/time-bounds';
import { parseInstanceId, type InstanceRecord } from '../instance-record';
import type { Committed } from '../journal';
import { GroupJournal } from '../journal/group-journal';
import { APPEND_TIMEOUT_MS, CONNECTIONS, IDLE_IN_TRANSACTION_MS, openPool, READ_TIMEOUT_MS } from './connect';
import { EventFeed } from './event-feed';
import { PostgresQueueReads } from './queue-reads';
import { PostgresWriter } from './writer/postgres-writer';
import type { SharedWriting } from './writer/shared-writing';

const SELECT_STATE = `SELECT tag, restores, seq AS "lastSeq", targets_version AS "targetsVersion" FROM instance, last_event`;

const NOTHING: Committed = {
  events: [],
  scheduled: [],
  results: [],
  ended: [],
  promoted: [],
  deadLetters: [],
};

type State = InstanceRecord & { lastSeq: number; targetsVersion: number };

/**
 * The journal on a database in PostgreSQL, which other daemons use too. As the leader it publishes the events of all of them;
 * what else is published was committed here.
 */
export class PostgresJournal extends GroupJournal {
  private constructor(
    private readonly feed: EventFeed | null,
    private readonly shared: SharedWriting,
    ...parts: ConstructorParameters<typeof GroupJournal>
  ) {
    super(...parts);
  }

  /** @param url an up-to-date database */
  static async open(
    url: string,
    clock: Clock,
    bounds: TimeBounds,
    log: Log,
    shared: SharedWriting,
  ): Promise<PostgresJournal> {
    const limits = { idleInTransactionMs: IDLE_IN_TRANSACTION_MS };
    const appending = openPool(url, CONNECTIONS.appending, { ...limits, queryTimeoutMs: APPEND_TIMEOUT_MS });
    const writing = openPool(url, CONNECTIONS.writing, limits);
    const { rows } = await writing.query(SELECT_STATE);
    const state = rows[0] as State;
    const writer = new PostgresWriter(
      { appending, writing },
      parseInstanceId(state),
      state.targetsVersion,
      shared,
      log,
    );
    const reading: Pool = openPool(url, CONNECTIONS.queue, { connectTimeoutMs: READ_TIMEOUT_MS });
    const feed =
      shared.epoch === null
        ? null
        : new EventFeed(reading, state.lastSeq, (events) => journal.publishEvents(events), log);
    const journal: PostgresJournal = new PostgresJournal(
      feed,
      shared,
      writer,
      new PostgresQueueReads(reading),
      clock,
      bounds,
      log,
    );
    return journal;
  }

  /** Begins to publish the events of all daemons; to be called once the commit listeners are ready. */
  follow(): void {
    this.feed?.follow();
  }

  /** Another daemon may have stored events. */
  look(): void {
    this.feed?.look();
  }

  /** Deliveries that another daemon has added to stored events. */
  receiveScheduled(scheduled: Committed['scheduled']): void {
    if (this.feed !== null) super.publish({ ...NOTHING, scheduled });
  }

  override async close(): Promise<void> {
    await this.feed?.close();
    await super.close();
  }

  protected override publish(committed: Committed): void {
    if (this.feed === null) {
      super.publish(committed);
      if (committed.scheduled.length > 0) this.shared.announceScheduled(committed.scheduled);
      return;
    }
    super.publish({ ...committed, events: [] });
    if (committed.events.length > 0) this.feed.add(committed.events);
  }

  private publishEvents(events: Committed['events']): void {
    super.publish({ ...NOTHING, events });
  }
}
