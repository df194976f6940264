import { Signal } from '../../ground/signal';

/**
 * The parts of writing that may fail: the commit of a group, and copying the write-ahead log into the
 * database.
 */
export type WritingPart = 'commit' | 'checkpoint';

/**
 * Called with SQLite's error code when a part of writing starts to fail, and with null when it works again.
 */
export type DiskFailureListener = (part: WritingPart, code: string | null) => void;

/** The parts of writing that currently fail. */
export class DiskFailures {
  private readonly codes = new Map<WritingPart, string | null>();
  private readonly changes = new Signal<Parameters<DiskFailureListener>>();

  onFailure(listener: DiskFailureListener): void {
    this.changes.subscribe(listener);
  }

  isFailing(part: WritingPart): boolean {
    return (this.codes.get(part) ?? null) !== null;
  }

  /** To be called after each attempt at a part, with SQLite's error code, or null if it succeeded. */
  update(part: WritingPart, code: string | null): void {
    if ((this.codes.get(part) ?? null) === code) return;
    this.codes.set(part, code);
    this.changes.emit(part, code);
  }
}
