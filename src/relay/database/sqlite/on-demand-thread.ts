import type { Worker } from 'node:worker_threads';
import { endThread } from '../reading/end-thread';

/** A thread takes 6 MiB, and its start 40 ms of CPU. */
const IDLE_MS = 10_000;

/** A thread that the first message starts, and that ends once it is idle. */
export class OnDemandThread {
  private worker: Worker | null = null;
  private timer: NodeJS.Timeout | null = null;
  private ended: Promise<unknown> = Promise.resolve();

  /** @param isBusy whether a response of the thread is awaited */
  constructor(
    private readonly start: () => Worker,
    private readonly isBusy: () => boolean,
  ) {}

  get isRunning(): boolean {
    return this.worker !== null;
  }

  post(message: unknown): void {
    this.worker ??= this.start();
    this.worker.postMessage(message);
    this.timer ??= setTimeout(() => this.endIfIdle(), IDLE_MS).unref();
    this.timer.refresh();
  }

  /** Call it when a thread has failed. @returns false if it had been asked to end */
  failed(worker: Worker): boolean {
    if (this.worker !== worker) return false;
    this.worker = null;
    return true;
  }

  /** Resolves once the thread has done what was requested, and has ended. */
  async close(): Promise<void> {
    this.end();
    await this.ended;
  }

  private endIfIdle(): void {
    if (this.isBusy()) this.timer?.refresh();
    else this.end();
  }

  private end(): void {
    const { worker } = this;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.worker = null;
    if (worker !== null) this.ended = Promise.all([this.ended, endThread(worker)]);
  }
}
