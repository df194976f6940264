import type { Pool, PoolClient } from 'pg';
import type { InstanceId } from '../../../ground/ids';
import type { Log } from '../../../ground/log';
import type { Change } from '../../journal';
import { DiskFailures } from '../../journal/disk-failures';
import { NOT_LEADER } from '../../journal/work';
import {
  failAll,
  WORK_KINDS,
  type AppendResult,
  type Group,
  type GroupOutcome,
  type WorkKind,
  type WorkTypes,
} from '../../journal/group';
import type { GroupWriter } from '../../journal/group-store';
import { unpackEvent, type PackedEvent } from '../../journal/packed-rows';
import { TrafficCounts } from '../../writer/traffic-counts';
import { CHANNEL } from '../daemons/notices';
import { errorCode, isStorageFailure, isTransient } from '../postgres-errors';
import { changedDeadLetters } from './dead-letters';
import { end, schedule } from './deliveries';
import { indexThrough, PASS_EVENTS } from './event-indexes';
import { appendEvents, plannedLanes } from './events';
import { lockLanes, promote } from './lanes';
import { databaseSize, prune } from './pruning';
import { saveResults } from './results';
import { inSavepoint, rowsOf, type Transaction } from './transaction';
import { runTransaction } from './run-transaction';
import { assertLeader, NotLeader, type SharedWriting } from './shared-writing';
import { writeTraffic } from './traffic';

/** To the leader. At the end of the transaction, which delivers it after its commit. */
const ANNOUNCE_EVENTS = `SELECT pg_notify(${CHANNEL}, '{"kind":"events"}')`;

/** How often work is run again that other transactions were in the way of. */
const MAX_RUNS = 5;

type Outcomes = GroupOutcome['outcomes'];

/** The outcomes of one transaction, and what it changed for the commit listeners. */
type PartOutcome = Pick<GroupOutcome, 'promoted' | 'deadLetters'> & { outcomes: Partial<Outcomes> };

/** Targets have changed since the events were planned. */
class PlannedTooEarly extends Error {
  constructor(readonly targetsVersion: number) {
    super();
  }
}

type Handlers = {
  [Kind in WorkKind]: (
    transaction: Transaction,
    inputs: readonly WorkTypes[Kind]['input'][],
    isolated: boolean,
  ) => Promise<(WorkTypes[Kind]['outcome'] | string)[]>;
};

/**
 * Commits groups. Events have a transaction of their own, whose lock on the last `seq` makes all daemons wait; the rest of a
 * group must not prolong it.
 */
export class PostgresWriter implements GroupWriter {
  readonly failures = new DiskFailures();
  private closing = false;
  private maintenance: Promise<void> = Promise.resolve();
  private readonly handlers: Handlers = {
    append: async (transaction, events, isolated) => {
      const outcomes = await append(transaction, events, isolated);
      if (!this.leads && events.length > 0) await rowsOf(transaction, ANNOUNCE_EVENTS);
      return outcomes;
    },
    result: eachOrAll(saveResults),
    change: each(change),
    prune: each(prune),
    shrink: each(databaseSize),
  };

  constructor(
    private readonly pools: { appending: Pool; writing: Pool },
    readonly instanceId: InstanceId,
    readonly targetsVersion: number,
    private readonly shared: SharedWriting,
    private readonly log: Log,
  ) {}

  async commit(group: Group): Promise<GroupOutcome> {
    const { append: _, ...rest } = this.handlers;
    const appended = await this.commitPart(group, ['append']);
    if (appended.plannedTooEarly !== undefined)
      return { ...failAll(group, ''), plannedTooEarly: appended.plannedTooEarly };
    const parts = [appended, await this.commitPart(group, Object.keys(rest) as WorkKind[])];
    const [error = null] = parts.flatMap((part) => (part.error === NOT_LEADER ? [] : (part.error ?? [])));
    this.failures.update('commit', error);
    if (group.work.append.length > 0) this.runMaintenance();
    const outcomes = Object.assign({}, ...parts.map((part) => part.outcomes)) as Outcomes;
    return {
      outcomes,
      promoted: parts.flatMap(({ promoted }) => promoted),
      deadLetters: parts.flatMap(({ deadLetters }) => deadLetters),
      error,
    };
  }

  async close(): Promise<void> {
    this.closing = true;
    await this.maintenance;
    await Promise.all([this.pools.appending.end(), this.pools.writing.end()]);
  }

  private async commitPart(
    { now, targetsVersion, work }: Group,
    kinds: readonly WorkKind[],
  ): Promise<PartOutcome & Pick<GroupOutcome, 'error' | 'plannedTooEarly'>> {
    const failWith = (error: string | null) => ({
      outcomes: Object.fromEntries(
        kinds.map((kind) => [kind, work[kind].map(() => error)]),
      ) as Partial<Outcomes>,
      promoted: [],
      deadLetters: [],
      error,
    });
    if (kinds.every((kind) => work[kind].length === 0)) return failWith(null);
    let isolated = false;
    for (let runs = 1; ; runs += 1) {
      try {
        const part = await this.run(kinds.includes('append') ? 'appending' : 'writing', (client) =>
          this.runPart({ now, targetsVersion, work }, kinds, client, isolated),
        );
        return { ...part, error: null };
      } catch (error) {
        if (error instanceof PlannedTooEarly)
          return { ...failWith(null), plannedTooEarly: error.targetsVersion };
        if (error instanceof NotLeader) {
          this.log.warn({ epoch: this.shared.epoch, kinds }, 'nothing was written: another daemon leads');
          this.shared.onNotLeader();
          return failWith(NOT_LEADER);
        }
        if (isTransient(error) && runs < MAX_RUNS) continue;
        // One row failed, and it is unknown which: run each in a savepoint, so that each has its own outcome.
        if (isStorageFailure(error) || isolated) {
          this.log.warn({ err: error, kinds }, 'a group could not be written');
          return failWith(errorCode(error));
        }
        isolated = true;
      }
    }
  }

  private run<T>(pool: 'appending' | 'writing', work: (client: PoolClient) => Promise<T>): Promise<T> {
    return runTransaction(this.pools[pool], work, () => this.closing);
  }

  private async runPart(
    { now, targetsVersion, work }: Group,
    kinds: readonly WorkKind[],
    client: PoolClient,
    isolated: boolean,
  ): Promise<PartOutcome> {
    const transaction = begin(client, { now, targetsVersion, log: this.log });
    // What any daemon may append is not part of what the leader alone writes.
    if (this.leads && !kinds.includes('append')) await assertLeader(transaction, this.shared.epoch!);
    const outcomes: Partial<Outcomes> = {};
    for (const kind of WORK_KINDS.filter((one) => kinds.includes(one))) {
      const handle = this.handlers[kind] as (...work: unknown[]) => Promise<unknown>;
      (outcomes as Record<WorkKind, unknown>)[kind] = await handle(transaction, work[kind], isolated);
    }
    await writeTraffic(transaction);
    return {
      outcomes,
      promoted: transaction.promoted,
      deadLetters: await changedDeadLetters(transaction),
    };
  }

  private get leads(): boolean {
    return this.shared.epoch !== null;
  }

  /** Work that no response waits for. What fails is done by the next pass: until then readers scan what is not indexed. */
  private runMaintenance(): void {
    this.maintenance = this.maintenance.then(() => this.indexEvents()).catch(() => undefined);
  }

  private async indexEvents(): Promise<void> {
    for (let isBehind = true; isBehind && !this.closing;) {
      isBehind = await this.run('writing', async (client) => {
        const transaction = begin(client, { now: 0, targetsVersion: null, log: this.log });
        const [row] = await rowsOf<{ last: number; through: number }>(
          transaction,
          'SELECT last_event.seq AS last, indexed_through AS through FROM last_event, instance',
        );
        const { last, through } = row!;
        if (last - through < PASS_EVENTS) return false;
        await indexThrough(transaction, through + PASS_EVENTS);
        return true;
      });
    }
  }
}

const begin = (
  client: PoolClient,
  parts: Pick<Transaction, 'now' | 'targetsVersion' | 'log'>,
): Transaction => ({
  client,
  ...parts,
  promoted: [],
  deadLetterTargets: new Set(),
  traffic: new TrafficCounts(),
});

async function append(
  transaction: Transaction,
  events: readonly PackedEvent[],
  isolated: boolean,
): Promise<(AppendResult | string)[]> {
  await lockLanes(transaction, plannedLanes(events.map(unpackEvent)));
  const [row] = await rowsOf<{ seq: number; version: number }>(
    transaction,
    'SELECT seq, targets_version AS version FROM last_event FOR UPDATE',
  );
  const { version } = row!;
  if (version !== transaction.targetsVersion) throw new PlannedTooEarly(version);
  let lastSeq = row!.seq;
  const appendSome = async (some: readonly PackedEvent[]) => {
    const appended = await appendEvents(transaction, some, lastSeq);
    lastSeq = appended.lastSeq;
    return appended.outcomes;
  };
  const outcomes = await (isolated
    ? each(async (_, event: PackedEvent) => (await appendSome([event]))[0]!)(transaction, events)
    : appendSome(events));
  await rowsOf(transaction, 'UPDATE last_event SET seq = $1', lastSeq);
  return outcomes;
}

async function change(transaction: Transaction, { statements, schedule: drafts, end: ends }: Change) {
  const rows: unknown[][] = [];
  for (const [sql, parameters] of statements)
    rows.push((await transaction.client.query(sql, parameters)).rows);
  const scheduled = await schedule(transaction, drafts);
  const ended = [];
  for (const draft of ends) ended.push(await end(transaction, draft));
  // A statement may have removed the head of the lane.
  await promote(
    transaction,
    drafts.flatMap(({ target, lane = null }) => (lane === null ? [] : [{ target, lane }])),
  );
  return { rows, scheduled, ended };
}

/** Handles each input in a savepoint. @returns the outcomes; the SQLSTATE of what is itself at fault */
function each<Input, Outcome>(handle: (transaction: Transaction, input: Input) => Promise<Outcome>) {
  return async (transaction: Transaction, inputs: readonly Input[]): Promise<(Outcome | string)[]> => {
    const outcomes: (Outcome | string)[] = [];
    for (const input of inputs) {
      try {
        outcomes.push(await inSavepoint(transaction, () => handle(transaction, input)));
      } catch (error) {
        if (isTransient(error) || isStorageFailure(error)) throw error;
        transaction.log.warn({ err: error }, 'a change could not be written');
        outcomes.push(errorCode(error));
      }
    }
    return outcomes;
  };
}

/** Handles all inputs at once, or each in a savepoint. */
function eachOrAll<Input, Outcome>(
  handle: (transaction: Transaction, inputs: readonly Input[]) => Promise<Outcome[]>,
) {
  const one = each(async (transaction, input: Input) => (await handle(transaction, [input]))[0]!);
  return (
    transaction: Transaction,
    inputs: readonly Input[],
    isolated: boolean,
  ): Promise<(Outcome | string)[]> => (isolated ? one(transaction, inputs) : handle(transaction, inputs));
}
