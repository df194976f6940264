import type { Pool, PoolClient } from 'pg';
import { errorCode } from '../../../ground/describe-error';
import type { InstanceId } from '../../../ground/ids';
import type { Log } from '../../../ground/log';
import type { Change } from '../../journal/journal';
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
import type { CommitLimits, GroupWriter } from '../../journal/group-store';
import { parseInstanceId, type InstanceRecord } from '../../journal/instance-record';
import { targetsOf, unpackEvent, type PackedEvent } from '../../journal/packed-rows';
import { TrafficCounts } from '../../journal/traffic-counts';
import { inTransaction } from '../connect';
import { CHANNEL } from '../notices';
import { isStorageFailure, isTransient } from '../postgres-errors';
import { changedDeadLetters } from './dead-letters';
import { change } from './change';
import { countEventBytes } from './event-bytes';
import { indexThrough, PASS_EVENTS } from './event-indexes';
import { appendEvents, plannedLanes } from './events';
import { each, eachOrAll } from './handle-each';
import { hasSpace } from './has-space';
import { lockLanes } from './lanes';
import { ApplicationOutdated, MarkedTransactions } from './marked-transactions';
import { prune } from './pruning';
import { recordCommit } from './record-commit';
import { saveOwnResults } from './results';
import { removeRemains } from './remains';
import { rowsOf, type Transaction } from './transaction';
import { holdEpoch, holdTargets, type SharedWriting } from './shared-writing';
import { writeTraffic } from './traffic';

/** To the leader, and to the owners of targets. PostgreSQL delivers it after the commit. */
const ANNOUNCE_EVENTS = `SELECT pg_notify(${CHANNEL}, $1)`;

/** How often work is run at most, if other transactions are in its way. */
const MAX_RUNS = 5;
/** For a group whose first event has waited for almost as long as it may. */
const MIN_COMMIT_MS = 500;

/** What a writer must know of the database when it starts. */
export type WriterState = InstanceRecord & { targetsVersion: number; generation: number };

/** Targets have changed since the events were planned. */
class OutdatedPlans extends Error {
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

/** Commits groups. Those of events lock the last `seq`, so that all daemons wait: other work must not prolong that. */
export class PostgresWriter implements GroupWriter {
  readonly commitsEventsAlone = true;
  readonly failures = new DiskFailures(() => hasSpace(this.pools.writing));
  readonly instanceId: InstanceId;
  readonly targetsVersion: number;
  private readonly generation: number;
  private closing = false;
  private readonly transactions: MarkedTransactions;
  private maintenance: Promise<void> = Promise.resolve();
  /** All events up to this one are indexed, perhaps by other daemons. */
  private indexedThrough = 0;
  private readonly handlers: Handlers = {
    append: async (transaction, events, isolated) => {
      const outcomes = await append(transaction, events, isolated);
      await this.announceEvents(transaction, events);
      return outcomes;
    },
    result: eachOrAll((transaction, results) => saveOwnResults(transaction, this.shared.daemon, results)),
    change: each((transaction, input) => this.change(transaction, input)),
    prune: each(async (transaction, step) =>
      transaction.isFormerLeader ? NOT_LEADER : prune(transaction, step),
    ),
    shrink: each(countEventBytes),
  };

  constructor(
    url: string,
    private readonly pools: { appending: Pool; writing: Pool },
    state: WriterState,
    /** In the table `writers`; no other writer uses it. */
    private readonly name: string,
    private readonly shared: SharedWriting,
    private readonly log: Log,
  ) {
    this.instanceId = parseInstanceId(state);
    this.targetsVersion = state.targetsVersion;
    this.generation = state.generation;
    this.transactions = new MarkedTransactions(url, name, state.generation, () => this.closing);
  }

  async commit(group: Group, _: ArrayBuffer, { commitMs, doubtMs }: CommitLimits): Promise<GroupOutcome> {
    const outcome = await this.commitWithin(group, {
      commitMs: Math.max(MIN_COMMIT_MS, commitMs),
      doubtMs: Math.max(MIN_COMMIT_MS, doubtMs),
    });
    this.failures.update('commit', outcome.error);
    this.runMaintenance(newestOf(outcome));
    return outcome;
  }

  async clean(signal: AbortSignal): Promise<void> {
    await removeRemains(this.pools.writing, signal);
  }

  async close(): Promise<void> {
    this.closing = true;
    await this.maintenance;
    await Promise.all([this.pools.appending.end(), this.pools.writing.end()]);
  }

  private async commitWithin(group: Group, { commitMs, doubtMs }: CommitLimits): Promise<GroupOutcome> {
    const started = performance.now();
    let isolated = false;
    for (let runs = 1; ; runs += 1) {
      try {
        const work = (client: PoolClient, counted: Promise<number>) =>
          this.runGroup(group, client, isolated, counted);
        const spentMs = performance.now() - started;
        const limits = { commitMs: commitMs - spentMs, doubtMs: doubtMs - spentMs };
        const { isRecorded, n, ...outcome } = await (group.work.append.length > 0
          ? this.transactions.run(this.pools.appending, work, limits)
          : this.transactions.run(this.pools.writing, work));
        this.shared.generations.committed(this.generation, this.name, n);
        this.shared.generations.stored(this.generation, newestOf(outcome));
        if (isRecorded) this.shared.announce(this.name);
        if (isRefused(outcome)) {
          this.log.warn({ epoch: this.shared.epoch }, 'changes were refused: another daemon leads');
          this.shared.onNotLeader();
        }
        return outcome;
      } catch (error) {
        if (error instanceof ApplicationOutdated) {
          this.log.warn(
            'nothing more is written: the server has failed over, was restored, or has stored what it had not confirmed',
          );
          this.shared.onOutdated();
          return refuseAll(group);
        }
        if (error instanceof OutdatedPlans)
          return {
            ...failAll(group, ''),
            error: null,
            outdatedPlans: { targetsVersion: error.targetsVersion },
          };
        if (isTransient(error) && runs < MAX_RUNS) continue;
        // One row failed, and it is unknown which: run each in a savepoint, so that each has its own outcome.
        if (isStorageFailure(error) || isolated) {
          const counts = WORK_KINDS.map((kind) => [kind, group.work[kind].length]);
          this.log.warn({ err: error, work: Object.fromEntries(counts) }, 'a group could not be written');
          return failAll(group, errorCode(error));
        }
        isolated = true;
      }
    }
  }

  private async runGroup(
    { now, targetsVersion, work }: Group,
    client: PoolClient,
    isolated: boolean,
    counted: Promise<number>,
  ): Promise<GroupOutcome & { isRecorded: boolean; n: number }> {
    const { epoch } = this.shared;
    // Events are appended whoever leads.
    const mustLead = epoch !== null && work.append.length === 0;
    const leads = mustLead && (await holdEpoch({ client }, epoch));
    const isFormerLeader = mustLead && !leads;
    const transaction = begin(client, { now, targetsVersion, isFormerLeader, log: this.log });
    const outcomes = failAll({ now, targetsVersion, work }, '').outcomes;
    for (const kind of WORK_KINDS.filter((one) => work[one].length > 0)) {
      const handle = this.handlers[kind] as (...work: unknown[]) => Promise<unknown>;
      (outcomes as Record<WorkKind, unknown>)[kind] = await handle(transaction, work[kind], isolated);
    }
    await writeTraffic(transaction);
    const n = await counted;
    const { promoted } = transaction;
    const deadLetters = await changedDeadLetters(transaction);
    const outcome = { outcomes, promoted, deadLetters, error: null };
    const commit = { writer: this.name, n, leads };
    const isRecorded = await recordCommit(transaction, work, outcome, this.shared, commit);
    return { ...outcome, isRecorded, n };
  }

  private async announceEvents(transaction: Transaction, events: readonly PackedEvent[]): Promise<void> {
    const targets = [...new Set(events.flatMap(targetsOf))].filter(
      (target) => this.shared.epochOf(target) === null,
    );
    if (events.length > 0 && (this.shared.epoch === null || targets.length > 0))
      await rowsOf(transaction, ANNOUNCE_EVENTS, [JSON.stringify({ kind: 'events', targets })]);
  }

  private async change(transaction: Transaction, input: Change) {
    const { asOwnerOf, ownerEpoch = 0 } = input;
    if (asOwnerOf === undefined) return transaction.isFormerLeader ? NOT_LEADER : change(transaction, input);
    const tenure = { asOwnerOf, ownerEpoch };
    const isHeld = await holdTargets(transaction, this.shared.daemon, [tenure]);
    return isHeld(tenure) ? change(transaction, input) : NOT_OWNER;
  }

  /** No response waits for it. The next pass repeats what fails; until then, readers scan what is not indexed. */
  private runMaintenance(newest: number): void {
    if (newest - this.indexedThrough < PASS_EVENTS) return;
    this.maintenance = this.maintenance.then(() => this.indexEvents()).catch(() => undefined);
  }

  private async indexEvents(): Promise<void> {
    for (let isBehind = true; isBehind && !this.closing;) {
      isBehind = await inTransaction(this.pools.writing, async (client) => {
        const transaction = begin(client, {
          now: 0,
          targetsVersion: null,
          isFormerLeader: false,
          log: this.log,
        });
        const [row] = await rowsOf<{ last: number; through: number }>(
          transaction,
          'SELECT last_event.seq AS last, indexed_through AS through FROM last_event, instance',
        );
        const { last, through } = row!;
        this.indexedThrough = through;
        if (last - through < PASS_EVENTS) return false;
        await indexThrough(transaction, through + PASS_EVENTS);
        return true;
      });
    }
  }
}

/** Nothing of the group takes effect. The application that replaces this one makes the attempts again. */
function refuseAll(group: Group): GroupOutcome {
  const refused = failAll(group, NOT_LEADER);
  return {
    ...refused,
    error: null,
    outcomes: { ...refused.outcomes, result: group.work.result.map(() => false) },
  };
}

/** The newest event that is known to be stored by the outcome; 0 if none is. */
const newestOf = ({ outcomes }: GroupOutcome) =>
  Math.max(0, ...outcomes.append.map((outcome) => (typeof outcome === 'string' ? 0 : outcome[0])));

/** Whether something was not written because another daemon leads. */
const isRefused = ({ outcomes }: GroupOutcome) =>
  WORK_KINDS.some((kind) => outcomes[kind].some((outcome) => outcome === NOT_LEADER));

const begin = (
  client: PoolClient,
  parts: Pick<Transaction, 'now' | 'targetsVersion' | 'isFormerLeader' | 'log'>,
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
  if (version !== transaction.targetsVersion) throw new OutdatedPlans(version);
  let lastSeq = row!.seq;
  const appendSome = async (some: readonly PackedEvent[]) => {
    const appended = await appendEvents(transaction, some, lastSeq);
    lastSeq = appended.lastSeq;
    return appended.outcomes;
  };
  return isolated
    ? each(async (_, event: PackedEvent) => (await appendSome([event]))[0]!)(transaction, events)
    : appendSome(events);
}
