import { setImmediate as turn } from 'node:timers/promises';
import { DiskFailures } from '../../../src/relay/database/journal/disk-failures';
import type { Group, GroupOutcome } from '../../../src/relay/database/journal/group';
import { GroupJournal } from '../../../src/relay/database/journal/group-journal';
import type { CommitLimits, GroupWriter } from '../../../src/relay/database/journal/group-store';
import { parseInstanceId } from '../../../src/relay/database/journal/instance-record';
import { SqliteQueueReads } from '../../../src/relay/database/sqlite/queue-reads';
import { SqliteWriter } from '../../../src/relay/database/sqlite/writer/writer';
import type { Clock } from '../../../src/relay/ground/clock';
import type { Log } from '../../../src/relay/ground/log';
import { threadTime } from '../../../src/relay/ground/thread-time';
import type { TimeBounds } from '../../../src/relay/ground/time-bounds';

/** SQLite's writer in the thread of the test: a thread of its own takes longer to start than most tests take. */
class InlineWriter implements GroupWriter {
  readonly targetsVersion = null;
  readonly commitsEventsAlone = false;
  readonly failures = new DiskFailures(async () => true);
  /** Commits wait for it. */
  held: Promise<void> | null = null;
  private readonly writer: SqliteWriter;

  constructor(file: string) {
    this.writer = new SqliteWriter(file);
  }

  get instanceId() {
    return parseInstanceId(this.writer.instance);
  }

  async commit(group: Group, _buffer: ArrayBuffer, { commitMs }: CommitLimits): Promise<GroupOutcome> {
    const beginBefore = threadTime() + commitMs;
    // More work may be queued in the meantime, as while a thread commits.
    await turn();
    await this.held;
    const outcome = this.writer.commit(group, beginBefore);
    this.failures.update('commit', outcome.error);
    this.writer.runMaintenance();
    return outcome;
  }

  async clean(): Promise<void> {
    throw new Error('not cleaned without threads');
  }

  async close(): Promise<void> {
    this.writer.close();
  }
}

/** The journal on a SQLite file, without threads. */
export class InlineJournal extends GroupJournal {
  private constructor(
    private readonly inlineWriter: InlineWriter,
    ...parts: [SqliteQueueReads, Clock, TimeBounds, Log]
  ) {
    super(inlineWriter, ...parts);
  }

  /** @param file an up-to-date database */
  static open(file: string, clock: Clock, bounds: TimeBounds, log: Log): InlineJournal {
    const queue = new SqliteQueueReads(file, async () => []);
    return new InlineJournal(new InlineWriter(file), queue, clock, bounds, log);
  }

  /** Blocks commits until the returned function is called. */
  hold(): () => void {
    let release: (() => void) | undefined;
    this.inlineWriter.held = new Promise((resolve) => (release = resolve));
    return release!;
  }
}
