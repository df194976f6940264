/** What may fail on the disk: the commit of a group, or the copying of the log into the database. */
export type WritingPart = 'commit' | 'checkpoint';

/** Called with SQLite's code when a part of writing begins to fail, and with null when it works again. */
export type DiskFaultListener = (part: WritingPart, code: string | null) => void;

/** The parts of writing that currently fail. */
export class DiskFaults {
  private readonly standing = new Map<WritingPart, string | null>();
  private readonly listeners: DiskFaultListener[] = [];

  onFault(listener: DiskFaultListener): void {
    this.listeners.push(listener);
  }

  /** Call it after each attempt at a part. */
  note(part: WritingPart, code: string | null): void {
    if ((this.standing.get(part) ?? null) === code) return;
    this.standing.set(part, code);
    for (const listener of this.listeners) listener(part, code);
  }
}
