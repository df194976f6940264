import { setImmediate as turn } from 'node:timers/promises';
import { DiskFailures } from '../../../src/relay/database/journal/disk-failures';
import { failAll, type Group, type GroupOutcome } from '../../../src/relay/database/journal/group';
import type { GroupWriter } from '../../../src/relay/database/journal/group-store';
import { parseInstanceId } from '../../../src/relay/database/journal/instance-record';
import type { Faults } from './faults';
import { SqliteWriter } from '../../../src/relay/database/sqlite/writer/writer';

/** Another promise each time: one for all would keep every killed daemon in memory, which waits for it. */
const never = () => new Promise<never>(() => undefined);

/** SQLite's writer in this thread, on a disk with faults. */
export class FaultyWriter implements GroupWriter {
  readonly targetsVersion = null;
  readonly commitsEventsAlone = false;
  readonly failures = new DiskFailures(async () => true);
  private readonly writer: SqliteWriter;
  private isKilled = false;

  constructor(
    file: string,
    private readonly faults: Faults,
  ) {
    this.writer = new SqliteWriter(file);
  }

  get instanceId() {
    return parseInstanceId(this.writer.instance);
  }

  async commit(group: Group): Promise<GroupOutcome> {
    // More work may be queued in the meantime, as while a thread commits.
    await turn();
    const fault = this.isKilled ? 'killed before' : this.faults.take();
    if (fault === 'fails') return failAll(group, 'SQLITE_IOERR');
    this.isKilled ||= fault !== null;
    const outcome = fault === 'killed before' ? never() : this.writer.commit(group, Infinity);
    this.writer.runMaintenance();
    return fault === null ? outcome : never();
  }

  /** Nothing more is committed. */
  kill(): void {
    this.isKilled = true;
  }

  async clean(): Promise<void> {
    throw new Error('not cleaned without threads');
  }

  async close(): Promise<void> {
    this.writer.close();
  }
}
