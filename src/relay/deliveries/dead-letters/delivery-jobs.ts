import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { DeliveryJob } from '../../../contract/delivery';
import type { Page, PageQuery } from '../../../contract/page';
import { Clock } from '../../ground/clock';
import { setAuditSubject } from '../../ground/audit-context';
import { Journal } from '../../database/journal';
import { Reader } from '../../database/reader';
import { newId, type DeliveryKey } from '../../ground/ids';
import { Log } from '../../ground/log';
import { Random } from '../../ground/random';
import { RelayError } from '../../ground/relay-error';
import { DeadLetters, discardOf, retryOf, type DeadLetter, type Selection } from './dead-letters';

/** Dead letters of one step: it shares its transaction with notifications that wait for their answer. */
const STEP = 100;

/** After a step that the disk refused. */
const AGAIN_MS = 1_000;

const START = { seq: 0, target: 0 };

interface Row {
  number: number;
  id: string;
  act: DeliveryJob['act'];
  selection: string;
  reason: string | null;
  state: DeliveryJob['state'];
  total: number;
  done: number;
  /** Event and target of the last one that was dealt with, as JSON. */
  position: string | null;
  until_seq: number;
  created_at: number;
  ended_at: number | null;
}

/**
 * Work on many dead letters: in the background, step by step, each step and how far it came in one transaction. So a restart
 * goes on where the last step ended. What dies after a job began is none of its concern.
 */
@Injectable()
export class DeliveryJobs implements OnModuleInit, OnModuleDestroy {
  private running: Promise<void> = Promise.resolve();
  private stepping: Promise<boolean> = Promise.resolve(false);
  private readonly cancelling = new Set<string>();
  private stopping = false;
  private wait: NodeJS.Timeout | null = null;

  constructor(
    private readonly source: DataSource,
    private readonly reader: Reader,
    private readonly journal: Journal,
    private readonly letters: DeadLetters,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    const rows = await this.source.query<{ id: string }[]>(
      `SELECT id FROM delivery_jobs WHERE state = 'running' ORDER BY number`,
    );
    for (const { id } of rows) this.enqueue(id);
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping = true;
    if (this.wait !== null) clearTimeout(this.wait);
    await this.running;
  }

  /** Begins one; jobs run one after the other. */
  async start(act: DeliveryJob['act'], selection: Selection, reason: string | null): Promise<DeliveryJob> {
    const now = this.clock.now();
    const id = newId('job', now, this.random);
    const [newest] = await this.reader.all<{ seq: number | null }>([
      'SELECT max(seq) AS seq FROM events',
      [],
    ]);
    const untilSeq = newest?.seq ?? 0;
    const total = await this.letters.count(selection, untilSeq);
    setAuditSubject({ id, name: null });
    await this.journal.change([
      [
        `INSERT INTO delivery_jobs(id, act, selection, reason, state, total, done, until_seq, created_at)
         VALUES (?, ?, ?, ?, 'running', ?, 0, ?, ?)`,
        [id, act, JSON.stringify(selection), reason, total, untilSeq, now],
      ],
    ]);
    this.log.info({ job: id, act, total }, 'work on dead letters began');
    this.enqueue(id);
    return this.get(id);
  }

  /** Newest first. */
  async list({ limit, cursor }: PageQuery): Promise<Page<DeliveryJob>> {
    const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : (await this.row(cursor)).number;
    const rows = await this.source.query<Row[]>(
      'SELECT * FROM delivery_jobs WHERE number < ? ORDER BY number DESC LIMIT ?',
      [before, limit + 1],
    );
    const page = rows.slice(0, limit).map(present);
    return { data: page, next_cursor: rows.length > limit ? page.at(-1)!.id : null };
  }

  /** @throws RelayError `job_unknown`, 404 */
  async get(id: string): Promise<DeliveryJob> {
    return present(await this.row(id));
  }

  /** What is done stays done. @throws RelayError `job_unknown`, 404 */
  async cancel(id: string): Promise<DeliveryJob> {
    await this.row(id);
    this.cancelling.add(id);
    try {
      // What is under way goes through first, so that nothing more is done once the end is told.
      await this.stepping.catch(() => undefined);
      await this.end(id, 'cancelled');
    } catch (error) {
      this.enqueue(id);
      throw error;
    } finally {
      this.cancelling.delete(id);
    }
    return this.get(id);
  }

  private enqueue(id: string): void {
    this.running = this.running.then(() => this.run(id));
  }

  private async run(id: string): Promise<void> {
    while (!this.stopping) {
      try {
        this.stepping = this.step(id);
        if (!(await this.stepping)) return;
      } catch (error) {
        this.log.error({ err: error, job: id }, 'work on dead letters was held up');
        await new Promise<void>((resolve) => {
          this.wait = setTimeout(resolve, AGAIN_MS);
        });
      }
    }
  }

  /** @returns whether there may be more to do */
  private async step(id: string): Promise<boolean> {
    const row = await this.row(id);
    if (row.state !== 'running' || this.cancelling.has(id)) return false;
    const position = row.position === null ? START : (JSON.parse(row.position) as typeof START);
    const selection = JSON.parse(row.selection) as Selection;
    const letters = await this.letters.after(selection, position, row.until_seq, STEP);
    if (letters.length > 0) await this.dealWith(row, letters);
    if (letters.length === STEP) return true;
    await this.end(id, 'done');
    return false;
  }

  private async dealWith({ id, act, reason }: Row, letters: DeadLetter[]): Promise<void> {
    const { seq, target } = letters.at(-1)!;
    const at = this.clock.now();
    const retries = act === 'retry' ? letters.map((letter) => retryOf(letter, at)) : [];
    await this.journal.change(
      [
        [
          'UPDATE delivery_jobs SET done = done + ?, position = ? WHERE id = ?',
          [letters.length, JSON.stringify({ seq, target }), id],
        ],
        ...retries.flatMap(({ statements }) => statements),
      ],
      // Many at once go behind what is live.
      retries.map(({ draft }) => ({ ...draft, class: 2 })),
      act === 'discard' ? letters.map((letter) => discardOf(keyOf(letter), reason ?? '', at)) : [],
    );
  }

  private async end(id: string, state: 'done' | 'cancelled'): Promise<void> {
    const { rows } = await this.journal.change([
      [
        `UPDATE delivery_jobs SET state = ?, ended_at = ? WHERE id = ? AND state = 'running' RETURNING done`,
        [state, this.clock.now(), id],
      ],
    ]);
    const [ended] = rows[0] as { done: number }[];
    if (ended !== undefined)
      this.log.info({ job: id, state, done: ended.done }, 'work on dead letters ended');
  }

  private async row(id: string): Promise<Row> {
    const [row] = await this.source.query<Row[]>('SELECT * FROM delivery_jobs WHERE id = ?', [id]);
    if (row !== undefined) return row;
    throw new RelayError('job_unknown', 404, `There is no job ${id}.`, {
      remedy: 'A job is named in the answer to POST /api/v1/deliveries/retry and /discard.',
    });
  }
}

const keyOf = ({ seq, target, n }: DeadLetter): DeliveryKey => ({ seq, target, n });

function present({ id, act, state, reason, total, done, created_at, ended_at }: Row): DeliveryJob {
  return {
    id,
    act,
    state,
    reason,
    total,
    done,
    created_at: new Date(created_at).toISOString(),
    ended_at: ended_at === null ? null : new Date(ended_at).toISOString(),
  };
}
