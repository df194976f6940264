import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { DeliveryJob } from '../../../contract/delivery';
import type { Page, PageQuery } from '../../../contract/page';
import { Clock } from '../../ground/clock';
import { Leadership } from '../../ground/leadership';
import { setAuditSubject } from '../../ground/audit-context';
import { Journal, PRIORITY } from '../../database/journal/journal';
import { insert } from '../../database/journal/statements';
import { Reader } from '../../database/reading/reader';
import { newId, type DeliveryKey } from '../../ground/ids';
import { Log } from '../../ground/log';
import { Random } from '../../ground/random';
import { behindCursor, RelayError } from '../../ground/relay-error';
import {
  DeadLettersService,
  discardOf,
  retryOf,
  type JobPosition,
  type Selection,
} from './dead-letters.service';
import { SerialQueue } from '../../ground/serial-queue';
import { runSteps } from '../../ground/run-steps';
import { isoOrNull, toIso } from '../../ground/iso-time';
import { cutPage } from '../../ground/cut-page';

/** Dead letters per step. Small, since a notification may wait for the transaction of a step. */
const STEP_SIZE = 100;

/** After this time a step that could not be stored is repeated. */
const RETRY_AFTER_MS = 1_000;

/** The position before the first dead letter. */
const START: JobPosition = { seq: 0, target: 0 };

interface Row {
  number: number;
  id: string;
  action: DeliveryJob['action'];
  selection: string;
  reason: string | null;
  state: DeliveryJob['state'];
  total: number;
  done: number;
  /** Event and target of the last processed dead letter, as JSON. */
  position: string | null;
  until_seq: number;
  created_at: number;
  ended_at: number | null;
}

/**
 * Retries or discards many dead letters in the background, in steps. Each step and its position are stored in one
 * transaction, so a job resumes after a restart. Dead letters that appear after a job has started are not included.
 */
@Injectable()
export class DeliveryJobsWorker implements OnModuleInit, OnModuleDestroy {
  private readonly jobs = new SerialQueue();
  /** Runs steps and cancellations one after the other, so that a job changes nothing after its cancellation. */
  private readonly steps = new SerialQueue();
  private readonly stopping = new AbortController();

  constructor(
    private readonly source: DataSource,
    private readonly reader: Reader,
    private readonly journal: Journal,
    private readonly deadLetters: DeadLettersService,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly leadership: Leadership,
    private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    if (!this.leadership.leads) return;
    const rows = await this.source.query<{ id: string }[]>(
      `SELECT id FROM delivery_jobs WHERE state = 'running' ORDER BY number`,
    );
    for (const { id } of rows) this.enqueue(id);
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.jobs.idle();
  }

  /** Starts a job; jobs run one after the other. @throws RelayError `target_unknown`, 404; `target_gone`, 409 */
  async start(
    action: DeliveryJob['action'],
    selection: Selection,
    reason: string | null,
  ): Promise<DeliveryJob> {
    const now = this.clock.now();
    const id = newId('job', now, this.random);
    const [newest] = await this.reader.all<{ seq: number | null }>([
      'SELECT max(seq) AS seq FROM events',
      [],
    ]);
    const untilSeq = newest?.seq ?? 0;
    const total = await this.deadLetters.count(action, selection, untilSeq);
    setAuditSubject({ id, name: null });
    const job = {
      id,
      action,
      selection: JSON.stringify(selection),
      reason,
      state: 'running',
      total,
      done: 0,
    };
    await this.journal.change({
      statements: [insert('delivery_jobs', { ...job, until_seq: untilSeq, created_at: now })],
    });
    this.log.info({ job: id, action, total }, 'dead letter job started');
    this.enqueue(id);
    return this.get(id);
  }

  /** Newest first. */
  async list({ limit, cursor }: PageQuery): Promise<Page<DeliveryJob>> {
    const before =
      cursor === undefined ? Number.MAX_SAFE_INTEGER : (await behindCursor(() => this.row(cursor))).number;
    const rows = await this.source.query<Row[]>(
      'SELECT * FROM delivery_jobs WHERE number < ? ORDER BY number DESC LIMIT ?',
      [before, limit + 1],
    );
    return cutPage(rows.map(present), limit);
  }

  /** @throws RelayError `job_unknown`, 404 */
  async get(id: string): Promise<DeliveryJob> {
    return present(await this.row(id));
  }

  /** Ends a job. The dead letters it has already processed stay so. @throws RelayError `job_unknown`, 404 */
  async cancel(id: string): Promise<DeliveryJob> {
    await this.row(id);
    await this.steps.run(() => this.end(id, 'cancelled'));
    return this.get(id);
  }

  private enqueue(id: string): void {
    void this.jobs.run(() =>
      runSteps(() => this.steps.run(() => this.step(id)), {
        retryAfterMs: RETRY_AFTER_MS,
        signal: this.stopping.signal,
        onError: (error) => this.log.error({ err: error, job: id }, 'dead letter job step failed'),
      }),
    );
  }

  /** @returns whether there may be more to do */
  private async step(id: string): Promise<boolean> {
    const row = await this.row(id);
    if (row.state !== 'running') return false;
    const position = row.position === null ? START : (JSON.parse(row.position) as typeof START);
    const selection = JSON.parse(row.selection) as Selection;
    const letters = await this.deadLetters.after(row.action, selection, position, row.until_seq, STEP_SIZE);
    if (letters.length > 0) await this.process(row, letters);
    if (letters.length === STEP_SIZE) return true;
    await this.end(id, 'done');
    return false;
  }

  private async process({ id, action, reason }: Row, letters: DeliveryKey[]): Promise<void> {
    const at = this.clock.now();
    const retried = action === 'retry' ? letters.filter(isFirstOfEvent) : [];
    await this.journal.change({
      statements: [
        [
          'UPDATE delivery_jobs SET done = done + ?, position = ? WHERE id = ?',
          [letters.length, JSON.stringify(letters.at(-1)), id],
        ],
      ],
      // Sent after live deliveries.
      schedule: retried.map((letter) => ({
        ...retryOf(letter, at),
        replayId: id,
        class: PRIORITY.replay,
      })),
      end: action === 'discard' ? letters.map((letter) => discardOf(letter, reason ?? '', at)) : [],
    });
  }

  private async end(id: string, state: 'done' | 'cancelled'): Promise<void> {
    const { rows } = await this.journal.change({
      statements: [
        [
          `UPDATE delivery_jobs SET state = ?, ended_at = ? WHERE id = ? AND state = 'running' RETURNING done`,
          [state, this.clock.now(), id],
        ],
      ],
    });
    const [ended] = rows[0] as { done: number }[];
    if (ended !== undefined) this.log.info({ job: id, state, done: ended.done }, 'dead letter job ended');
  }

  private async row(id: string): Promise<Row> {
    const [row] = await this.source.query<Row[]>('SELECT * FROM delivery_jobs WHERE id = ?', [id]);
    if (row !== undefined) return row;
    throw new RelayError('job_unknown', 404, `There is no job ${id}.`, {
      remedy:
        'POST /api/v1/deliveries/retry and /discard return the id of the job; GET /api/v1/deliveries/jobs lists all jobs.',
    });
  }
}

/** If an event has two dead letters at a target, because one blocks its lane, the first is retried for both. */
const isFirstOfEvent = ({ seq, target }: DeliveryKey, i: number, letters: readonly DeliveryKey[]) =>
  letters[i - 1]?.seq !== seq || letters[i - 1]?.target !== target;

function present({ id, action, state, reason, total, done, ...times }: Row): DeliveryJob {
  const shown = { created_at: toIso(times.created_at), ended_at: isoOrNull(times.ended_at) };
  return { id, action, state, reason, total, done, ...shown };
}
