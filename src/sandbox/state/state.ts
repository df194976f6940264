import type { Clock } from '../clock';
import { type Snapshots, StateFile } from './state-file';

/** A store whose content is to outlive the process. */
export interface Store {
  /** All that is to be kept, as JSON can hold it. */
  snapshot(): unknown;
  /** Takes back what `snapshot` gave in an earlier run. Throws where it is anything else. */
  restore(snapshot: unknown): void;
}

/** Changes of this long are written together. */
const WRITE_INTERVAL_MS = 100;

/**
 * What the sandbox keeps across restarts: in a folder, or nothing at all. The snapshots of all stores are taken at one
 * moment and written as one file, so that they always agree.
 */
export class State {
  private readonly stores = new Map<string, Store>();
  private restored: Snapshots;
  private writing: Promise<void> = Promise.resolve();
  private queued: Promise<void> | undefined;
  private cancelTimer: (() => void) | undefined;
  private tookMs = 0;

  private constructor(
    private readonly clock: Clock,
    private readonly onFault: (error: Error) => void,
    private readonly file: StateFile | undefined,
  ) {
    this.restored = file?.read() ?? {};
  }

  /**
   * `folder` undefined keeps nothing. `onFault` is told when a write fails that nobody waits for; the next change tries again.
   * @throws StateRefused when the folder is another sandbox's, or what it holds cannot be understood
   */
  static open(folder: string | undefined, clock: Clock, onFault: (error: Error) => void): State {
    const file = folder === undefined ? undefined : StateFile.open(folder);
    try {
      return new State(clock, onFault, file);
    } catch (error) {
      file?.close();
      throw error;
    }
  }

  /**
   * Gives the store back what it held at the end of the run before, and keeps it from now on.
   * @throws StateRefused when that is damaged
   */
  register(name: string, store: Store): void {
    this.stores.set(name, store);
    if (!this.file || !(name in this.restored)) return;
    try {
      store.restore(this.restored[name]);
    } catch (error) {
      throw Object.assign(this.file.damaged(), { cause: error });
    }
    delete this.restored[name];
  }

  /** Something changed that is to be on disk soon. */
  markChanged(): void {
    if (!this.file || this.cancelTimer) return;
    // A large state takes long to write: most of the time stays for other things.
    this.cancelTimer = this.clock.after(Math.max(WRITE_INTERVAL_MS, 5 * this.tookMs), () => {
      this.save().catch(this.onFault);
    });
  }

  /** Resolves when all that has changed until now is on disk. Rejects when it cannot be written. */
  save(): Promise<void> {
    if (!this.file) return Promise.resolve();
    this.queued ??= this.writeNext(this.file);
    return this.queued;
  }

  /** Writes what is left, and leaves the folder to others. */
  async close(): Promise<void> {
    try {
      await this.save();
    } finally {
      this.abandon();
    }
  }

  /** Leaves the folder to others as it is. */
  abandon(): void {
    this.cancelTimer?.();
    this.file?.close();
  }

  private async writeNext(file: StateFile): Promise<void> {
    // The write under way may have missed what this one is for; whoever waits for that one hears of its failure.
    await this.writing.catch(() => undefined);
    this.queued = undefined;
    this.cancelTimer?.();
    this.cancelTimer = undefined;
    const startedAt = this.clock.now();
    this.writing = file.write(
      Object.fromEntries([...this.stores].map(([name, store]) => [name, store.snapshot()])),
    );
    await this.writing;
    this.tookMs = this.clock.now() - startedAt;
  }
}
