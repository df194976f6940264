import { versionOfBody } from '../../../ground/record-version';
import type { Connection } from '../sqlite-driver';

/**
 * The versions of the records in events that are not indexed yet, by the SQL function `known_version`; those of bodies by
 * `version_of`. They have no column in `events`: it would be behind `body`, whose overflow pages every read of it had to
 * follow.
 */
export class SqliteVersions {
  private readonly versions = new Map<number, number | null>();

  constructor(connection: Connection) {
    connection.function('known_version', (seq: number) => this.versions.get(seq) ?? null);
    connection.function('version_of', (body: Buffer) => versionOfBody(body));
  }

  /** Also of an event that is appended again after a rollback. */
  set(seq: number, version: number | null): void {
    this.versions.set(seq, version);
  }

  /** The first event whose version is known: none that was stored before a start, or whose pass was rolled back. */
  get knownFrom(): number {
    const [first] = this.versions.keys();
    return first ?? Infinity;
  }

  forgetThrough(through: number): void {
    for (const seq of this.versions.keys()) {
      if (seq > through) return;
      this.versions.delete(seq);
    }
  }
}
