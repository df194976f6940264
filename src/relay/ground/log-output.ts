import { write, writeSync } from 'node:fs';

/** Characters buffered while standard output blocks; lines beyond that are dropped. */
const PENDING_LIMIT = 4 * 1024 * 1024;
/** A slow reader makes room soon; a disk may stay full for days. */
const FIRST_RETRY_MS = 5;
const LAST_RETRY_MS = 250;
/** How long an exit waits for a slow reader. */
const EXIT_WITHIN_MS = 1_000;
/** How long an exit waits for a write in progress, which takes longer only if standard output is blocked. */
const WRITE_TAKES_MS = 50;
const EXIT_POLL_MS = 10;

/**
 * Writes lines to standard output without ever blocking the calling thread, whether the disk is full or the reader has
 * stopped. Lines that cannot be written are buffered and retried; lines that do not fit in the buffer are dropped and counted.
 */
export class LogOutput {
  private pending: string[] = [];
  private pendingLength = 0;
  /** The bytes being written, or waiting to be retried. */
  private current: Buffer | null = null;
  private isWriting = false;
  private retryMs = FIRST_RETRY_MS;
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

  /** @param report called with the number of dropped lines once there is room; its output takes their place */
  onDropped(report: (lines: number) => void): void {
    this.reportDropped = report;
  }

  /** @param line ends with a line break */
  write(line: string): void {
    if (this.pendingLength + (this.current?.length ?? 0) + line.length > PENDING_LIMIT) {
      this.dropped += 1;
      return;
    }
    this.pending.push(line);
    this.pendingLength += line.length;
    if (this.current === null) this.next();
  }

  private next(): void {
    this.current = this.take();
    if (this.current !== null) this.start(this.current);
  }

  private take(): Buffer | null {
    if (this.pending.length === 0) return null;
    const bytes = Buffer.from(this.pending.join(''));
    this.pending = [];
    this.pendingLength = 0;
    return bytes;
  }

  private start(bytes: Buffer): void {
    this.isWriting = true;
    write(this.fd, bytes, (error, written) => {
      this.isWriting = false;
      if (error === null) this.wrote(bytes.subarray(written));
      else this.retry(bytes);
    });
  }

  /** The disk or the pipe is full, which may be temporary. */
  private retry(bytes: Buffer): void {
    setTimeout(() => this.start(bytes), this.retryMs).unref();
    this.retryMs = Math.min(2 * this.retryMs, LAST_RETRY_MS);
  }

  private wrote(rest: Buffer): void {
    this.retryMs = FIRST_RETRY_MS;
    this.current = rest.length > 0 ? rest : null;
    if (this.current !== null) return this.start(this.current);
    this.flushDroppedCount();
    if (this.current === null) this.next();
  }

  private flushDroppedCount(): void {
    const { dropped } = this;
    this.dropped = 0;
    if (dropped > 0) this.reportDropped(dropped);
  }

  /** No callbacks run during exit, so the rest is written synchronously while standard output accepts it. */
  private flush(): void {
    if (this.isWriting) pause(WRITE_TAKES_MS);
    this.flushDroppedCount();
    const left = [...(this.current === null || this.isWriting ? [] : [this.current]), this.take()];
    const until = performance.now() + EXIT_WITHIN_MS;
    for (const bytes of left) if (bytes !== null && !this.writeNow(bytes, until)) return;
  }

  private writeNow(bytes: Buffer, until: number): boolean {
    let rest = bytes;
    while (rest.length > 0) {
      try {
        rest = rest.subarray(writeSync(this.fd, rest));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || performance.now() > until) return false;
        pause(EXIT_POLL_MS);
      }
    }
    return true;
  }
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
