import { write, writeSync } from 'node:fs';

/** What waits in memory while standard output takes nothing, in characters; what comes on top of it is dropped. */
const WAITING_LIMIT = 4 * 1024 * 1024;
/** A reader that merely is behind makes room soon; a disk may be full for days. */
const FIRST_RETRY_MS = 5;
const LAST_RETRY_MS = 250;
/** How long an exit waits for a reader that is merely slow. */
const EXIT_WITHIN_MS = 1_000;
/** A write that is under way at the exit is over by then, unless nothing takes it. */
const WRITE_TAKES_MS = 50;
const EXIT_POLL_MS = 10;

/**
 * Lines for standard output, which never hold up the thread that writes them: not on a full disk, not behind a reader that
 * stands still. What cannot be written waits and is tried again; what there is no room for is dropped and counted.
 */
export class LogOutput {
  private waiting: string[] = [];
  private waitingLength = 0;
  /** The bytes that a write is under way for, or is to be tried again for. */
  private current: Buffer | null = null;
  private isWriting = false;
  private retryMs = FIRST_RETRY_MS;
  private dropped = 0;
  private tell: (dropped: number) => void = () => undefined;

  constructor(private readonly fd: number) {
    process.once('exit', () => this.flush());
  }

  static toStandardOutput(): LogOutput {
    // Asked for, `process.stdout` has made a pipe non-blocking: a full one refuses a write instead of keeping it, and with
    // it a thread, without which no process ends.
    return new LogOutput(process.stdout.fd);
  }

  /** @param tell hears how many lines were dropped, as soon as there is room again; what it writes stands in their place */
  onDropped(tell: (lines: number) => void): void {
    this.tell = tell;
  }

  /** @param line ends with a line break */
  write(line: string): void {
    if (this.waitingLength + (this.current?.length ?? 0) + line.length > WAITING_LIMIT) {
      this.dropped += 1;
      return;
    }
    this.waiting.push(line);
    this.waitingLength += line.length;
    if (this.current === null) this.next();
  }

  private next(): void {
    this.current = this.take();
    if (this.current !== null) this.start(this.current);
  }

  private take(): Buffer | null {
    if (this.waiting.length === 0) return null;
    const bytes = Buffer.from(this.waiting.join(''));
    this.waiting = [];
    this.waitingLength = 0;
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

  /** The disk is full, or the pipe is: whatever it is, it may pass. */
  private retry(bytes: Buffer): void {
    setTimeout(() => this.start(bytes), this.retryMs).unref();
    this.retryMs = Math.min(2 * this.retryMs, LAST_RETRY_MS);
  }

  private wrote(rest: Buffer): void {
    this.retryMs = FIRST_RETRY_MS;
    this.current = rest.length > 0 ? rest : null;
    if (this.current !== null) return this.start(this.current);
    this.tellDropped();
    if (this.current === null) this.next();
  }

  private tellDropped(): void {
    const { dropped } = this;
    this.dropped = 0;
    if (dropped > 0) this.tell(dropped);
  }

  /** At the exit there are no callbacks any more, and so one write after the other, as long as they are taken. */
  private flush(): void {
    if (this.isWriting) pause(WRITE_TAKES_MS);
    this.tellDropped();
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
