import { DiskFailures } from '../../../src/relay/database/journal/disk-failures';
import { failAll, type Group, type GroupOutcome } from '../../../src/relay/database/journal/group';
import type { GroupWriter } from '../../../src/relay/database/journal/group-store';
import { parseInstanceId } from '../../../src/relay/database/journal/instance-record';
import { SqliteWriter } from '../../../src/relay/database/sqlite/writer/writer';
import { setImmediate as turn } from 'node:timers/promises';

/** What happens at a commit: it fails, or the process is killed before or after it. */
export type Fault = 'fails' | 'killed before' | 'killed after';

/** The faults of a disk: the next one happens at a certain commit from now on. */
export class Faults {
  /** In the present step. */
  happened: Fault | null = null;
  private next: { fault: Fault; commits: number } | null = null;

  constructor(private readonly onKilled: () => void) {}

  plan(fault: Fault, commits: number): void {
    this.next = { fault, commits };
  }

  /** What was planned and has not happened does not happen. */
  cancel(): void {
    this.next = null;
  }

  /** To be called at each commit. */
  take(): Fault | null {
    if (this.next === null || (this.next.commits -= 1) > 0) return null;
    this.happened = this.next.fault;
    this.next = null;
    if (this.happened !== 'fails') this.onKilled();
    return this.happened;
  }
}

const NEVER = new Promise<never>(() => undefined);

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
    const outcome = fault === 'killed before' ? NEVER : this.writer.commit(group, Infinity);
    this.writer.runMaintenance();
    return fault === null ? outcome : NEVER;
  }

  /** Nothing more is committed. */
  kill(): void {
    this.isKilled = true;
  }

  async close(): Promise<void> {
    this.writer.close();
  }
}
