import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { EventSummary } from '../../contract/event';
import { ENDED_BY_ERASURE } from '../database/erasure-rules';
import { Journal } from '../database/journal/journal';
import type { Statement } from '../database/journal/statements';
import { Clock } from '../ground/clock';
import { Log } from '../ground/log';
import { runSteps } from '../ground/run-steps';
import { SerialQueue } from '../ground/serial-queue';
import { pauseAfter, stepsOf } from '../events/retention/removal-steps';
import { FindEventsQuery } from '../events/search/find-events.query';
import { RemovedEventCounter } from '../replays/removed-event-counter';
import { ErasureAftermath } from './erasure-aftermath';
import { SELECT_ERASURE, type ErasureRow } from './erasure-row';
import { ErasedTraces } from './erased-traces';

/** Events that are looked for at a time. */
const FOUND_EVENTS = 500;
const RETRY_AFTER_MS = 1_000;

/**
 * Runs erasures: first the events in small steps, each in a transaction of its own, in which everything of an event
 * goes at once; then what they have left on the disk. What a stop or a failure interrupts is continued.
 */
@Injectable()
export class ErasureWorker implements OnModuleInit, OnModuleDestroy {
  /** The erasures take turns, step by step. */
  private readonly steps = new SerialQueue();
  private readonly stopping = new AbortController();
  private readonly jobs = new Set<Promise<void>>();

  constructor(
    private readonly source: DataSource,
    private readonly journal: Journal,
    private readonly finder: FindEventsQuery,
    private readonly traces: ErasedTraces,
    private readonly removed: RemovedEventCounter,
    private readonly aftermath: ErasureAftermath,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    const rows = await this.source.query<{ id: string }[]>(
      'SELECT id FROM erasures WHERE ended_at IS NULL ORDER BY number',
    );
    for (const { id } of rows) this.enqueue(id);
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.jobs);
  }

  /** Starts or continues a stored erasure. */
  enqueue(id: string): void {
    const job = runSteps(() => this.step(id), {
      retryAfterMs: RETRY_AFTER_MS,
      signal: this.stopping.signal,
      onError: (error) => this.log.error({ err: error, erasure: id }, 'erasure not continued'),
    }).finally(() => this.jobs.delete(job));
    this.jobs.add(job);
  }

  /** @returns whether there is more to do */
  private async step(id: string): Promise<boolean> {
    const [row] = await this.source.query<ErasureRow[]>(`${SELECT_ERASURE} WHERE r.id = ?`, [id]);
    if (row === undefined || row.state === 'done') return false;
    if (row.state === 'cleaning') return this.aftermath.clean(row, this.stopping.signal);
    const { rows, position } = await this.find(row);
    for (const seqs of stepsOf(rows.map(({ seq, size_bytes: bytes }) => ({ seq, bytes })))) {
      if (this.stopping.signal.aborted) return true;
      const startedAt = this.clock.monotonic();
      const events = rows.filter(({ seq }) => seqs.includes(seq));
      await this.steps.run(() =>
        this.erase(row, events, Math.max(row.position, Math.min(position, seqs.at(-1)!))),
      );
      await pauseAfter(this.clock.monotonic() - startedAt);
    }
    if (rows.length > 0) return true;
    // What is stored of the entity itself goes even without an event.
    await this.steps.run(() => this.erase(row, [], row.position));
    await this.aftermath.finish(row);
    return true;
  }

  /** The next events, up to a position of those that are mentioned. */
  private async find(row: ErasureRow): Promise<{ rows: EventSummary[]; position: number }> {
    const { event_seq: seq, entity, mentions, until_seq: until, position } = row;
    if (seq !== null) {
      const found = await this.finder.bySeqs([seq]);
      return { rows: found.filter((event) => event.erased_at === null), position };
    }
    const range = { after: 0, before: until + 1 };
    for await (const { rows } of this.finder.walk({ entity: entity! }, range, 'oldest first', FOUND_EVENTS))
      if (rows.length > 0) return { rows, position };
    if (mentions === null) return { rows: [], position };
    const filters = { payload: JSON.parse(mentions) as Record<string, unknown> };
    const rest = { ...range, after: position };
    for await (const { rows, lastSeq } of this.finder.walk(filters, rest, 'oldest first', FOUND_EVENTS)) {
      if (rows.length > 0) return { rows, position: lastSeq };
      if (this.stopping.signal.aborted) break;
    }
    return { rows: [], position };
  }

  private async erase({ number, entity }: ErasureRow, events: readonly EventSummary[], position: number) {
    const seqs = events.map(({ seq }) => seq);
    const bodies = await this.traces.erase(entity, events);
    const progress: Statement = [
      `UPDATE erasures SET events = events + @count, position = @position,
         cancelled = cancelled + (SELECT count(*) FROM (${ENDED_BY_ERASURE}) ended) WHERE number = @number`,
      [{ count: seqs.length, position, number, seqs: JSON.stringify(seqs) }],
    ];
    await this.journal.change({
      statements: [...(await this.removed.statementsFor(seqs)), progress],
      erase: { seqs, entity, erasure: number, at: this.clock.now() },
    });
    await this.traces.forgetValues(events, bodies);
  }
}
