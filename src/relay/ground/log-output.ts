import { write, writeSync } from 'node:fs';

/** Characters buffered while standard output blocks; lines beyond that are dropped. */
const MAX_PENDING_CHARACTERS = 4 * 1024 * 1024;
/** The delay doubles between these: a slow reader makes room soon, but a disk may stay full for days. */
const MIN_RETRY_MS = 5;
const MAX_RETRY_MS = 250;
/** How long the exit of the process waits for a slow reader. */
const EXIT_TIMEOUT_MS = 1_000;
/** How long the exit waits for a write in progress, which takes longer only if standard output is blocked. */
const WRITE_TIMEOUT_MS = 50;
const EXIT_POLL_MS = 10;

/**
 * Writes lines to standard output without ever blocking the calling thread, whether the disk is full or the reader has
 * stopped. What cannot be written is buffered and retried; lines that do not fit there are dropped and counted.
 */
export class LogOutput {
  private pending: string[] = [];
  private pendingLength = 0;
  /** The bytes being written, or waiting to be retried. */
  private current: Buffer | null = null;
  private isWriting = false;
  private retryMs = MIN_RETRY_MS;
  private dropped = 0;
  private reportDropped: (dropped: number) => void = () => undefined;

  constructor(private readonly fd: number) {
    process.once('exit', () => this.flush());
  }

  static toStandardOutput(): LogOutput {
    // Accessing `process.stdout` makes a pipe non-blocking: a full one then rejects the write instead of blocking a
    // thread of the pool, which would keep the process from exiting.
    return new LogOutput(process.stdout.fd);
  }

  /** @param report called with the number of dropped lines once there is room; what it logs appears in their place */
  onDropped(report: (lines: number) => void): void {
    this.reportDropped = report;
  }

  /** @param line ends with a line break */
  write(line: string): void {
    if (this.pendingLength + (this.current?.length ?? 0) + line.length > MAX_PENDING_CHARACTERS) {
      this.dropped += 1;
      return;
    }
    this.pending.push(line);
    this.pendingLength += line.length;
    if (this.current === null) this.writeNext();
  }

  private writeNext(): void {
    this.current = this.takePending();
    if (this.current !== null) this.startWrite(this.current);
  }

  private takePending(): Buffer | null {
    if (this.pending.length === 0) return null;
    const bytes = Buffer.from(this.pending.join(''));
    this.pending = [];
    this.pendingLength = 0;
    return bytes;
  }

  private startWrite(bytes: Buffer): void {
    this.isWriting = true;
    write(this.fd, bytes, (error, written) => {
      this.isWriting = false;
      if (error === null) this.afterWrite(bytes.subarray(written));
      else this.retry(bytes);
    });
  }

  /** The disk or the pipe is full, which may be temporary. */
  private retry(bytes: Buffer): void {
    setTimeout(() => this.startWrite(bytes), this.retryMs).unref();
    this.retryMs = Math.min(2 * this.retryMs, MAX_RETRY_MS);
  }

  private afterWrite(rest: Buffer): void {
    this.retryMs = MIN_RETRY_MS;
    this.current = rest.length > 0 ? rest : null;
    if (this.current !== null) return this.startWrite(this.current);
    this.flushDroppedCount();
    if (this.current === null) this.writeNext();
  }

  private flushDroppedCount(): void {
    const { dropped } = this;
    this.dropped = 0;
    if (dropped > 0) this.reportDropped(dropped);
  }

  /** No callbacks run during exit, so the rest is written synchronously while standard output accepts it. */
  private flush(): void {
    if (this.isWriting) sleepSynchronously(WRITE_TIMEOUT_MS);
    this.flushDroppedCount();
    const remaining = [
      ...(this.current === null || this.isWriting ? [] : [this.current]),
      this.takePending(),
    ];
    const deadline = performance.now() + EXIT_TIMEOUT_MS;
    for (const bytes of remaining) if (bytes !== null && !this.writeSynchronously(bytes, deadline)) return;
  }

  /** @returns false if standard output accepted no more before the deadline */
  private writeSynchronously(bytes: Buffer, deadline: number): boolean {
    let rest = bytes;
    while (rest.length > 0) {
      try {
        rest = rest.subarray(writeSync(this.fd, rest));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || performance.now() > deadline) return false;
        sleepSynchronously(EXIT_POLL_MS);
      }
    }
    return true;
  }
}

function sleepSynchronously(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
