/** Reads what may have changed: when announced, also during a read, and at intervals, as announcements may be lost. */
export abstract class PollLoop {
  private isDue = false;
  private isStarted = false;
  private hasStopped = false;
  private reading: Promise<void> | null = null;
  private timer: NodeJS.Timeout | undefined;

  /** @param intervalMs default: polls only when it is asked to */
  constructor(
    private readonly onError: (error: unknown) => void,
    private readonly intervalMs?: number,
  ) {}

  /** If it throws, the next poll repeats it. */
  protected abstract read(): Promise<void>;

  /** Whether everything that was announced has been read. */
  get isIdle(): boolean {
    return this.isStarted && this.reading === null;
  }

  /** Long reads check this between their steps. */
  get isStopped(): boolean {
    return this.hasStopped;
  }

  /** Polls from now on, unless it was stopped. */
  start(): void {
    if (this.hasStopped) return;
    this.isStarted = true;
    if (this.intervalMs !== undefined) this.timer = setInterval(() => this.poll(), this.intervalMs);
    this.poll();
  }

  /** Reads now, or once more after the read in progress; before the start, then. */
  poll(): void {
    this.isDue = true;
    if (this.isStarted && !this.hasStopped) this.reading ??= this.readAll();
  }

  /** Polls, and waits until that was read, or could not be; not before the start or after the stop. */
  async pollNow(): Promise<void> {
    this.poll();
    await this.reading;
  }

  /** Waits for the read in progress; none starts after it. */
  async stop(): Promise<void> {
    this.hasStopped = true;
    clearInterval(this.timer);
    await this.reading;
  }

  private async readAll(): Promise<void> {
    try {
      while (this.isDue && !this.hasStopped) {
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
