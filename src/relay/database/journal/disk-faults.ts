/** What the disk may refuse: a group, or the copying of the log into the database. */
export type WritingPart = 'commit' | 'checkpoint';

/** Told SQLite's code when the disk begins to refuse a part of writing, and null when it takes it again. */
export type DiskFaultListener = (part: WritingPart, code: string | null) => void;

/** Which parts of writing the disk refuses at the moment. */
export class DiskFaults {
  private readonly standing = new Map<WritingPart, string | null>();
  private readonly listeners: DiskFaultListener[] = [];

  onFault(listener: DiskFaultListener): void {
    this.listeners.push(listener);
  }

  /** To be called whenever a part was tried. */
  note(part: WritingPart, code: string | null): void {
    if ((this.standing.get(part) ?? null) === code) return;
    this.standing.set(part, code);
    for (const listener of this.listeners) listener(part, code);
  }
}
