import type { Clock } from '../clock';
import { type Snapshots, StateFile } from './state-file';

/** A store that is saved across restarts. */
export interface Store {
  /** The content as JSON. */
  snapshot(): unknown;
  /** @throws if it is not a snapshot of this store */
  restore(snapshot: unknown): void;
}

const WRITE_INTERVAL_MS = 100;

/**
 * Saves the stores across restarts, if there is a folder. All snapshots are taken at the same time and written as one
 * file, so that they are consistent.
 */
export class State {
  private readonly stores = new Map<string, Store>();
  /** Snapshots read from the file whose stores are not registered yet. */
  private restored: Snapshots;
  private writing: Promise<void> = Promise.resolve();
  /** The save that starts after the current one. */
  private queued: Promise<void> | undefined;
  private cancelTimer: (() => void) | undefined;
  private lastSaveMs = 0;

  private constructor(
    private readonly clock: Clock,
    private readonly onError: (error: Error) => void,
    private readonly file: StateFile | undefined,
  ) {
    this.restored = file?.read() ?? {};
  }

  /**
   * Without a folder nothing is saved. `onError` is called when a background save fails; the next change retries.
   * @throws StateError if the folder is in use or its content unreadable
   */
  static open(folder: string | undefined, clock: Clock, onError: (error: Error) => void): State {
    const file = folder === undefined ? undefined : StateFile.open(folder);
    try {
      return new State(clock, onError, file);
    } catch (error) {
      file?.close();
      throw error;
    }
  }

  /**
   * Restores the store and saves it from now on.
   * @throws StateError if its snapshot is damaged
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

  /** Schedules a save. */
  markChanged(): void {
    if (!this.file || this.cancelTimer) return;
    // Writing a large state takes long: spend at most a sixth of the time on it.
    this.cancelTimer = this.clock.after(Math.max(WRITE_INTERVAL_MS, 5 * this.lastSaveMs), () => {
      this.save().catch(this.onError);
    });
  }

  /** Resolves when all changes so far are on disk; rejects if they cannot be written. */
  save(): Promise<void> {
    if (!this.file) return Promise.resolve();
    this.queued ??= this.writeNext(this.file);
    return this.queued;
  }

  /** Saves and releases the folder. */
  async close(): Promise<void> {
    try {
      await this.save();
    } finally {
      this.closeWithoutSaving();
    }
  }

  /** Releases the folder without saving. */
  closeWithoutSaving(): void {
    this.cancelTimer?.();
    this.file?.close();
  }

  private async writeNext(file: StateFile): Promise<void> {
    // The current write may have missed the latest changes. Its errors are reported to its own callers.
    await this.writing.catch(() => undefined);
    this.queued = undefined;
    this.cancelTimer?.();
    this.cancelTimer = undefined;
    const startedAt = this.clock.now();
    this.writing = file.write(
      Object.fromEntries([...this.stores].map(([name, store]) => [name, store.snapshot()])),
    );
    await this.writing;
    this.lastSaveMs = this.clock.now() - startedAt;
  }
}
