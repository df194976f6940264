import type { QueuedCounts } from '../journal/count-queued';
import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { Clock } from '../../ground/clock';
import type { Log } from '../../ground/log';
import type { TimeBounds } from '../../ground/time-bounds';
import type { CachedTable, Change, ChangeOutcome, Committed, DeliveryResult } from '../journal/journal';
import { GroupJournal } from '../journal/group-journal';
import { NOT_OWNER, storageFailed } from '../journal/work';
import type { DatabaseSize } from '../journal/prune-step';
import { COMMIT_POSITIONS, CommitFeed, parsePositions } from './commit-feed';
import {
  APPEND_TIMEOUT_MS,
  CONNECTIONS,
  IDLE_IN_TRANSACTION_MS,
  openPool,
  READ_CONNECT_TIMEOUT_MS,
} from './connect';
import { EventFeed } from './event-feed';
import type { Notice } from './notices';
import { PostgresQueueReads } from './queue-reads';
import { prepareMark } from './writer/marked-transactions';
import { PostgresWriter, type WriterState } from './writer/postgres-writer';
import type { RecordedCommit } from './writer/record-commit';
import type { SharedWriting } from './writer/shared-writing';

const SELECT_STATE = `SELECT tag, restores, seq AS "lastSeq", targets_version AS "targetsVersion",
  (SELECT max(generation) FROM generations) AS generation, ${COMMIT_POSITIONS} AS positions FROM instance, last_event`;

const CACHED_TABLES: readonly CachedTable[] = ['targets', 'subscriptions'];

/** A poll finds what a lost notice would have announced. */
const POLL_TABLES_EVERY_MS = 5_000;

const NOTHING: Committed = {
  events: [],
  scheduled: [],
  results: [],
  ended: [],
  promoted: [],
  erased: [],
  deadLetters: [],
};

type State = WriterState & { lastSeq: number; positions: string };

/**
 * The journal on a database in PostgreSQL, which other daemons use too. As the leader it publishes everything that they
 * commit, otherwise what concerns the targets that this daemon owns.
 */
export class PostgresJournal extends GroupJournal {
  /** Of the server, in which everything was read. */
  readonly generation: number;
  private readonly eventFeed: EventFeed | null;
  private readonly commitFeed: CommitFeed;
  private tablePolls: NodeJS.Timeout | undefined;

  private constructor(
    { generation, lastSeq, positions }: State,
    pool: Pool,
    name: string,
    private readonly shared: SharedWriting,
    writer: PostgresWriter,
    private readonly reads: PostgresQueueReads,
    clock: Clock,
    bounds: TimeBounds,
    log: Log,
  ) {
    super(writer, reads, clock, bounds, log);
    const leads = shared.epoch !== null;
    const publishEvents = (events: Committed['events']) => this.publishEvents(events);
    const publishCommit = (commit: RecordedCommit) => this.publishFromOtherDaemon(commit);
    this.generation = generation;
    this.eventFeed = leads ? new EventFeed(pool, generation, lastSeq, publishEvents, log) : null;
    this.commitFeed = new CommitFeed(pool, generation, name, leads, publishCommit, log);
    this.commitFeed.startAt(parsePositions(positions));
  }

  /** @param url an up-to-date database */
  static async open(
    url: string,
    clock: Clock,
    bounds: TimeBounds,
    log: Log,
    shared: SharedWriting,
  ): Promise<PostgresJournal> {
    const name = `${shared.daemon} ${randomUUID()}`;
    const options = {
      idleInTransactionMs: IDLE_IN_TRANSACTION_MS,
      prepare: prepareMark(name),
      pipeline: true,
    };
    const appending = openPool(url, CONNECTIONS.appending, { ...options, queryTimeoutMs: APPEND_TIMEOUT_MS });
    const writing = openPool(url, CONNECTIONS.writing, options);
    const { rows } = await writing.query(SELECT_STATE);
    const state = rows[0] as State;
    const writer = new PostgresWriter(url, { appending, writing }, state, name, shared, log);
    const reading = openPool(url, CONNECTIONS.queue, { connectTimeoutMs: READ_CONNECT_TIMEOUT_MS });
    const reads = new PostgresQueueReads(reading, state.generation);
    return new PostgresJournal(state, reading, name, shared, writer, reads, clock, bounds, log);
  }

  /** Publishes what other daemons store, from now on: the commit listeners must be ready. */
  start(): void {
    this.eventFeed?.start();
    this.commitFeed.start();
    this.tablePolls = setInterval(() => this.pollTables(), POLL_TABLES_EVERY_MS);
  }

  receive(notice: Notice): void {
    if (notice.kind === 'changed') this.tableChanges.emit(notice.table);
    else if (notice.kind === 'commits') this.commitFeed.poll(notice.writer);
    else if (notice.kind === 'events') {
      this.eventsFromOtherDaemons.emit(notice.targets);
      this.eventFeed?.poll();
    }
  }

  /** Reads everything that may have been announced. */
  pollAll(): void {
    this.eventFeed?.poll();
    this.commitFeed.poll();
    this.pollTables();
  }

  override catchUp(): Promise<void> {
    return this.commitFeed.pollNow();
  }

  override async countQueued(): Promise<QueuedCounts> {
    const { positions, ...counts } = await this.reads.countQueued();
    this.commitFeed.startAt(positions);
    return counts;
  }

  /** If this daemon has lost the target since, nothing is stored, and the owner makes the attempt again. */
  override async saveResult(result: DeliveryResult): Promise<void> {
    const ownerEpoch = this.shared.epochOf(result.key.target);
    if (ownerEpoch !== null) await super.saveResult({ ...result, ownerEpoch });
  }

  override async change(change: Partial<Change>): Promise<ChangeOutcome> {
    const { asOwnerOf } = change;
    if (asOwnerOf === undefined) return super.change(change);
    const ownerEpoch = this.shared.epochOf(asOwnerOf);
    if (ownerEpoch === null) throw storageFailed(NOT_OWNER);
    return super.change({ ...change, ownerEpoch });
  }

  /** Nothing shrinks: counts the events that were not counted yet, in steps, between which other work is done. */
  override async shrink(): Promise<DatabaseSize> {
    let size = await super.shrink(0);
    while (size.isIncomplete) size = await super.shrink(0);
    return size;
  }

  override async close(): Promise<void> {
    clearInterval(this.tablePolls);
    await this.eventFeed?.stop();
    await this.commitFeed.stop();
    await super.close();
  }

  protected override publish(committed: Committed): void {
    if (this.eventFeed === null) return super.publish(committed);
    super.publish({ ...committed, events: [] });
    if (committed.events.length > 0) this.eventFeed.add(committed.events);
  }

  private pollTables(): void {
    for (const table of CACHED_TABLES) this.tableChanges.emit(table);
  }

  private publishEvents(events: Committed['events']): void {
    this.shared.generations.stored(this.generation, events.at(-1)!.seq);
    super.publish({ ...NOTHING, events });
  }

  private publishFromOtherDaemon(commit: RecordedCommit): void {
    const committed = { ...NOTHING, ...commit };
    this.reads.onCommitted(committed);
    super.publish(committed);
  }
}
