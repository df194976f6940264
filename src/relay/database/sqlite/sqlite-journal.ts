import type { Clock } from '../../ground/clock';
import type { Log } from '../../ground/log';
import type { TimeBounds } from '../../ground/time-bounds';
import { GroupJournal } from '../journal/group-journal';
import { SqliteQueueReads } from './queue-reads';
import { SqliteThreads } from './threads';

/** The journal on a SQLite file, which a single thread writes. */
export class SqliteJournal extends GroupJournal {
  private constructor(
    /** `PRAGMA synchronous` of the connection that writes; 2 is FULL. */
    readonly synchronous: number,
    ...parts: ConstructorParameters<typeof GroupJournal>
  ) {
    super(...parts);
  }

  /** @param file an up-to-date database */
  static async open(file: string, clock: Clock, bounds: TimeBounds, log: Log): Promise<SqliteJournal> {
    const threads = await SqliteThreads.start(file);
    const queue = new SqliteQueueReads(file, (what) => threads.prefetch(what));
    return new SqliteJournal(threads.synchronous, threads, queue, clock, bounds, log);
  }
}
