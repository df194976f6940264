import { join, parse } from 'node:path';
import { Worker } from 'node:worker_threads';
import { restartDelayMs } from '../../../ground/restart-delay';
import type { Log } from '../../../ground/log';
import { foldBody, foldQuery } from '../../../ground/fold-text';
import { chooseTrigrams } from './choose-trigrams';
import { trigramsIn } from './common-trigrams';
import { endThread } from '../../reading/end-thread';
import type { SeqIndex, SeqOrder, SeqRange } from '../../reading/walk-seqs';
import type { Journal } from '../../journal/journal';
import type { SqliteReader } from '../sqlite-reader';
import type { IndexProgress, IndexRequest, IndexResponse } from './text-index.thread';
import { cleanFile } from '../cleaning/clean-file';
import type { OnListening } from '../../../ground/on-listening';

/** How long after a commit its events are indexed. Until then they are searched by reading them. */
const CATCH_UP_EVERY_MS = 2_000;

/** A sample of the newest events, to estimate how common a trigram is. */
const SAMPLE = { events: 40, bytes: 4_096, everyMs: 60_000 };

/** Finds stored events that may contain a text, through an index that is filled behind the events. */
export class TextIndex implements OnListening {
  /** Null while there is nothing to index. */
  private worker: Worker | null = null;
  /** Whether the thread has not responded to the last request yet. */
  private isRequested = false;
  private stopped = false;
  /** How often the thread has failed in a row. */
  private failures = 0;
  private ended: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | null = null;
  private indexed = 0;
  private common: ReadonlySet<string> = new Set();
  private readable = false;
  private failed: string | null = null;
  private readonly forgetting: ((error: Error | null) => void)[] = [];
  private sample: { at: number; texts: readonly string[] } | null = null;

  /** @param reader null if the database is not SQLite: there is no index then */
  constructor(
    private readonly databaseFile: string,
    private readonly reader: SqliteReader | null,
    private readonly journal: Journal,
    private readonly log: Log,
  ) {}

  /** The newest indexed event; 0 while the index cannot be used. */
  private get through(): number {
    return this.readable ? this.indexed : 0;
  }

  /** Starts this late because nothing waits for the index, and its thread is slow to start. */
  onListening(): void {
    if (this.reader === null) return;
    this.journal.onCommit(({ events }) => events.length > 0 && this.catchUpSoon());
    this.catchUpSoon();
  }

  private get indexFile(): string {
    const { dir, name } = parse(this.databaseFile);
    return join(dir, `${name}-search.db`);
  }

  private startThread(): Worker {
    const { indexFile } = this;
    const worker = new Worker(join(__dirname, 'text-index.thread.js'), {
      workerData: { databaseFile: this.databaseFile, indexFile },
    });
    if (!this.readable) worker.once('message', () => void this.makeReadable(indexFile));
    worker.on('message', (response: IndexResponse) => {
      if (response === 'forgotten') return this.endForgetting(null);
      this.failures = 0;
      this.onProgress(response);
    });
    worker.on('error', (error) => this.onThreadFailed(error));
    worker.on('exit', () => {
      this.worker = null;
      this.endForgetting('its thread has ended');
      // The thread had ended as idle before it read the request.
      if (this.isRequested) this.catchUpSoon();
    });
    return worker;
  }

  async onModuleDestroy(): Promise<void> {
    this.stop();
    await this.ended;
  }

  private stop(): void {
    this.stopped = true;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (this.worker !== null) this.ended = endThread(this.worker);
    this.worker = null;
  }

  /** @returns null if the index cannot find this text */
  async find(text: string): Promise<SeqIndex | null> {
    const { through } = this;
    if (through === 0) return null;
    const sample = await this.sampleTexts();
    const trigrams = foldQuery(text).map((folded) => chooseTrigrams(folded, sample, this.common));
    if (trigrams.some(({ length }) => length === 0)) return null;
    const match = trigrams.map((all) => `(${all.map(quoted).join(' ')})`).join(' OR ');
    return { through, candidates: (range, order, limit) => this.read(match, range, order, limit) };
  }

  private async read(
    match: string,
    { after, before }: SeqRange,
    order: SeqOrder,
    limit: number,
  ): Promise<number[] | null> {
    try {
      const rows = await this.reader!.all<{ seq: number }>([
        `SELECT rowid AS seq FROM search.event_text WHERE event_text MATCH ? AND rowid > ? AND rowid < ?
         ORDER BY rowid ${order === 'newest first' ? 'DESC' : 'ASC'} LIMIT ?`,
        [match, after, before, limit],
      ]);
      return rows.map(({ seq }) => seq);
    } catch (error) {
      this.disable(error);
      return null;
    }
  }

  private async sampleTexts(): Promise<readonly string[]> {
    const now = performance.now();
    if (this.sample !== null && now - this.sample.at < SAMPLE.everyMs) return this.sample.texts;
    const rows = await this.reader!.all<{ body: Uint8Array }>([
      'SELECT substr(body, 1, ?) AS body FROM events ORDER BY seq DESC LIMIT ?',
      [SAMPLE.bytes, SAMPLE.events],
    ]);
    this.sample = { at: now, texts: rows.map(({ body }) => foldBody(body)) };
    return this.sample.texts;
  }

  private async makeReadable(indexFile: string): Promise<void> {
    try {
      await this.reader!.attach(indexFile, 'search');
      this.readable = true;
    } catch (error) {
      this.disable(error);
    }
  }

  private onProgress({ through, common, failed }: IndexProgress): void {
    this.indexed = through;
    if (common !== null) this.common = new Set(trigramsIn(common));
    this.isRequested = false;
    if (failed !== null && failed !== this.failed)
      this.log.warn({ cause: failed }, 'the text index could not be written and will be retried');
    this.failed = failed;
    if (failed !== null) this.endForgetting(failed);
  }

  /** Has `exit` start the thread again: the cause may be temporary, such as no free file descriptor. */
  private onThreadFailed(error: unknown): void {
    this.isRequested = true;
    this.failures += 1;
    if (this.failures === 1)
      this.log.warn({ err: error }, 'the thread of the text index failed and will be started again');
  }

  /** Searches then read the events: slower, with the same results. The index is retried at the next start. */
  private disable(error: unknown): void {
    if (this.stopped) return;
    this.readable = false;
    this.log.error({ err: error }, 'the text index is disabled until the next start');
    this.stop();
  }

  /**
   * Removes what was erased from the index and its file.
   * @throws Error if it could not
   */
  async clean(signal: AbortSignal): Promise<void> {
    this.sample = null;
    if (this.reader === null || this.stopped) return;
    await new Promise<void>((resolve, reject) => {
      this.forgetting.push((error) => (error === null ? resolve() : reject(error)));
      this.request('forget');
    });
    await cleanFile(this.indexFile, signal);
  }

  private endForgetting(failure: string | null): void {
    const error = failure === null ? null : new Error(`nothing removed from the text index: ${failure}`);
    for (const end of this.forgetting.splice(0)) end(error);
  }

  private request(request: Exclude<IndexRequest, null>): void {
    this.worker ??= this.startThread();
    this.isRequested = true;
    this.worker.postMessage(request);
  }

  private catchUpSoon(): void {
    if (this.stopped) return;
    this.timer ??= setTimeout(
      () => {
        this.timer = null;
        this.request('catch up');
      },
      CATCH_UP_EVERY_MS + (this.failures > 0 ? restartDelayMs(this.failures) : 0),
    );
  }
}

const quoted = (trigram: string) => `"${trigram.replaceAll('"', '""')}"`;
