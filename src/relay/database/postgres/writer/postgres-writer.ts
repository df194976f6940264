import type { Pool, PoolClient } from 'pg';
import type { InstanceId } from '../../../ground/ids';
import type { Log } from '../../../ground/log';
import type { Change } from '../../journal';
import { DiskFailures } from '../../journal/disk-failures';
import { NOT_LEADER, NOT_OWNER } from '../../journal/work';
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
import { each, eachOrAll } from './handle-each';
import { lockLanes, promote } from './lanes';
import { databaseSize, prune } from './pruning';
import { recordCommit } from './record-commit';
import { saveOwnResults } from './results';
import { rowsOf, type Transaction } from './transaction';
import { runTransaction } from './run-transaction';
import { holdEpoch, holdTargets, type SharedWriting } from './shared-writing';
import { writeTraffic } from './traffic';

/** To the leader, and the owners of targets. At the end of the transaction, which delivers it after its commit. */
const ANNOUNCE_EVENTS = `SELECT pg_notify(${CHANNEL}, $1)`;

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
  private commits = 0;
  private maintenance: Promise<void> = Promise.resolve();
  private readonly handlers: Handlers = {
    append: async (transaction, events, isolated) => {
      const outcomes = await append(transaction, events, isolated);
      await this.announceEvents(transaction, events);
      return outcomes;
    },
    result: eachOrAll((transaction, results) => saveOwnResults(transaction, this.shared.daemon, results)),
    change: each((transaction, input) => this.change(transaction, input)),
    prune: each(async (transaction, step) =>
      transaction.isReplaced ? NOT_LEADER : prune(transaction, step),
    ),
    shrink: each(databaseSize),
  };

  constructor(
    private readonly pools: { appending: Pool; writing: Pool },
    readonly instanceId: InstanceId,
    readonly targetsVersion: number,
    /** Among the writers of all daemons. */
    private readonly name: string,
    private readonly shared: SharedWriting,
    private readonly log: Log,
  ) {}

  async commit(group: Group): Promise<GroupOutcome> {
    const { append: _, ...rest } = this.handlers;
    const appended = await this.commitPart(group, ['append']);
    if (appended.plannedTooEarly !== undefined)
      return { ...failAll(group, ''), plannedTooEarly: appended.plannedTooEarly };
    const parts = [appended, await this.commitPart(group, Object.keys(rest) as WorkKind[])];
    const [error = null] = parts.flatMap((part) => part.error ?? []);
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
    const n = (this.commits += 1);
    let isolated = false;
    for (let runs = 1; ; runs += 1) {
      try {
        const pool = kinds.includes('append') ? 'appending' : 'writing';
        const { isRecorded, ...part } = await this.run(pool, (client) =>
          this.runPart({ now, targetsVersion, work }, kinds, client, isolated, n),
        );
        if (isRecorded) this.shared.announce(this.name);
        if (isRefused(part)) {
          this.log.warn({ epoch: this.shared.epoch }, 'changes were refused: another daemon leads');
          this.shared.onNotLeader();
        }
        return { ...part, error: null };
      } catch (error) {
        if (error instanceof PlannedTooEarly)
          return { ...failWith(null), plannedTooEarly: error.targetsVersion };
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
    n: number,
  ): Promise<PartOutcome & { isRecorded: boolean }> {
    const { epoch } = this.shared;
    // Events are appended whoever leads.
    const mustLead = epoch !== null && !kinds.includes('append');
    const leads = mustLead && (await holdEpoch({ client }, epoch));
    const transaction = begin(client, { now, targetsVersion, isReplaced: mustLead && !leads, log: this.log });
    const outcomes: Partial<Outcomes> = {};
    for (const kind of WORK_KINDS.filter((one) => kinds.includes(one))) {
      const handle = this.handlers[kind] as (...work: unknown[]) => Promise<unknown>;
      (outcomes as Record<WorkKind, unknown>)[kind] = await handle(transaction, work[kind], isolated);
    }
    await writeTraffic(transaction);
    const { promoted } = transaction;
    const part = { outcomes, promoted, deadLetters: await changedDeadLetters(transaction) };
    const done = ofKinds(kinds, { work, outcomes });
    const isRecorded = await recordCommit(
      transaction,
      done.work,
      { ...part, outcomes: done.outcomes },
      this.shared,
      { writer: this.name, n, leads },
    );
    return { ...part, isRecorded };
  }

  private async announceEvents(transaction: Transaction, events: readonly PackedEvent[]): Promise<void> {
    const targets = [...new Set(events.flatMap((packed) => packed[3]))].filter(
      (target) => this.shared.epochOf(target) === null,
    );
    if (events.length > 0 && (this.shared.epoch === null || targets.length > 0))
      await rowsOf(transaction, ANNOUNCE_EVENTS, JSON.stringify({ kind: 'events', targets }));
  }

  private async change(transaction: Transaction, input: Change) {
    const { asOwnerOf, ownerEpoch = 0 } = input;
    if (asOwnerOf === undefined) return transaction.isReplaced ? NOT_LEADER : change(transaction, input);
    const tenure = { asOwnerOf, ownerEpoch };
    const isHeld = await holdTargets(transaction, this.shared.daemon, [tenure]);
    return isHeld(tenure) ? change(transaction, input) : NOT_OWNER;
  }

  /** Work that no response waits for. What fails is done by the next pass: until then readers scan what is not indexed. */
  private runMaintenance(): void {
    this.maintenance = this.maintenance.then(() => this.indexEvents()).catch(() => undefined);
  }

  private async indexEvents(): Promise<void> {
    for (let isBehind = true; isBehind && !this.closing;) {
      isBehind = await this.run('writing', async (client) => {
        const transaction = begin(client, { now: 0, targetsVersion: null, isReplaced: false, log: this.log });
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

/** Whether something was not written because another daemon leads. */
const isRefused = ({ outcomes }: Pick<PartOutcome, 'outcomes'>) =>
  WORK_KINDS.some((kind) => outcomes[kind]?.some((outcome) => outcome === NOT_LEADER));

/** The work of these kinds and its outcomes; of other kinds, none. */
function ofKinds(
  kinds: readonly WorkKind[],
  { work, outcomes }: { work: Group['work']; outcomes: Partial<Outcomes> },
): { work: Group['work']; outcomes: Outcomes } {
  const others = WORK_KINDS.filter((kind) => !kinds.includes(kind)).map((kind) => [kind, []]);
  const none = Object.fromEntries(others) as Partial<Group['work'] & Outcomes>;
  return { work: { ...work, ...none }, outcomes: { ...outcomes, ...none } as Outcomes };
}

const begin = (
  client: PoolClient,
  parts: Pick<Transaction, 'now' | 'targetsVersion' | 'isReplaced' | 'log'>,
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
