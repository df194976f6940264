import { Signal } from '../../ground/signal';
import { diskFullCode } from './disk-full';

/** The parts of writing that may fail: the commit of a group, and copying the write-ahead log into the database. */
export type WritingPart = 'commit' | 'checkpoint';

/** Called with the engine's error code when a part of writing starts to fail, and with null when it works again. */
export type DiskFailureListener = (part: WritingPart, code: string | null) => void;

/** Between two calls of `hasSpace`. */
const PAUSE_MS = 1_000;

const SERVER_DISK_FULL = '53100';

/**
 * The parts of writing that currently fail, on a disk or a server. A small write may find space where an event does
 * not, so its success ends a failure for lack of space only once `hasSpace` has confirmed it.
 */
export class DiskFailures {
  private readonly codes = new Map<WritingPart, string>();
  private readonly changes = new Signal<Parameters<DiskFailureListener>>();
  private readonly confirming = new Set<WritingPart>();

  /** @param hasSpace writes more than an event, and says whether that succeeded */
  constructor(private readonly hasSpace: () => Promise<boolean>) {}

  onFailure(listener: DiskFailureListener): void {
    this.changes.subscribe(listener);
  }

  isFailing(part: WritingPart): boolean {
    return this.codes.has(part);
  }

  /** To be called after each attempt at a part, with the engine's error code, or null if it succeeded. */
  update(part: WritingPart, code: string | null): void {
    const last = this.codes.get(part) ?? null;
    if (last === code) return;
    if (code !== null) this.codes.set(part, code);
    else if (last === SERVER_DISK_FULL || diskFullCode({ code: last }) !== null)
      return void this.confirm(part);
    else this.codes.delete(part);
    this.changes.emit(part, code);
  }

  private async confirm(part: WritingPart): Promise<void> {
    if (this.confirming.has(part)) return;
    this.confirming.add(part);
    if (await this.hasSpace()) {
      this.codes.delete(part);
      this.changes.emit(part, null);
    }
    setTimeout(() => this.confirming.delete(part), PAUSE_MS).unref();
  }
}
