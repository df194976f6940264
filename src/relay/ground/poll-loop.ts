/**
 * Reads what may have changed: when that is announced, and at intervals, since announcements may be lost. What is
 * announced during a read is read after it.
 */
export class PollLoop {
  private isDue = false;
  private state: 'created' | 'started' | 'stopped' = 'created';
  private reading: Promise<void> | null = null;
  private timer: NodeJS.Timeout | null = null;

  /** @param onError called when a read fails, which the next poll repeats */
  constructor(
    private readonly read: () => Promise<void>,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Whether everything that was announced has been read. */
  get isIdle(): boolean {
    return this.state === 'started' && this.reading === null;
  }

  /** Long reads check this between their steps. */
  get isStopped(): boolean {
    return this.state === 'stopped';
  }

  /** Polls from now on, unless it was stopped. @param intervalMs default: only when it is asked to */
  start(intervalMs?: number, poll = () => this.poll()): void {
    if (this.isStopped) return;
    this.state = 'started';
    if (intervalMs !== undefined) this.timer = setInterval(poll, intervalMs);
    poll();
  }

  /** Reads now, or once more after the read in progress; before the start, then. */
  poll(): void {
    this.isDue = true;
    if (this.state === 'started') this.reading ??= this.readAll();
  }

  /** Waits for the read in progress; none starts after it. */
  async stop(): Promise<void> {
    this.state = 'stopped';
    if (this.timer !== null) clearInterval(this.timer);
    await this.reading;
  }

  private async readAll(): Promise<void> {
    try {
      while (this.isDue && !this.isStopped) {
        this.isDue = false;
        await this.read();
      }
    } catch (error) {
      this.onError(error);
    } finally {
      this.reading = null;
    }
  }
}
