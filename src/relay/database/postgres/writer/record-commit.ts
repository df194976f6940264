import type { Committed, EventDraft } from '../../journal/journal';
import { describeCommit } from '../../journal/describe-commit';
import type { Group, GroupOutcome } from '../../journal/group';
import { unpackEvent, unpackResult } from '../../journal/packed-rows';
import type { SharedWriting } from './shared-writing';
import { rowsOf, type Transaction } from './transaction';

/** The part of a commit that other daemons must know; they read its events from their table. */
export type RecordedCommit = Omit<Committed, 'events'>;

export interface CommitOrigin {
  writer: string;
  /** The place of the transaction among those of its writer. */
  n: number;
  /** Whether its daemon leads, and no other daemon can take over before the commit. */
  leads: boolean;
}

/**
 * Records what a transaction has changed, for the daemons that it concerns: the leader, and the owners of its
 * targets. Part of the transaction, so that no commit is missed.
 * @returns whether there was anything to record
 */
export async function recordCommit(
  transaction: Transaction,
  work: Group['work'],
  outcome: GroupOutcome,
  { epochOf }: SharedWriting,
  { writer, n, leads }: CommitOrigin,
): Promise<boolean> {
  const commit = describe(transaction, work, outcome);
  const isOfOtherDaemon = (target: number) => epochOf(target) === null;
  const { scheduled, ended, promoted, erased, results, deadLetters } = commit;
  // Ended deliveries are recorded for own targets too: another daemon may have taken the target and read the delivery
  // before this commit. Scheduled and promoted ones it finds when they are due.
  const concernsOwners =
    ended.length + erased.length > 0 ||
    scheduled.some(({ target }) => isOfOtherDaemon(target)) ||
    promoted.some(({ target }) => isOfOtherDaemon(target));
  const concernsLeader =
    !leads && scheduled.length + ended.length + promoted.length + results.length + deadLetters.length > 0;
  if (!concernsOwners && !concernsLeader) return false;
  await rowsOf(
    transaction,
    `INSERT INTO commits(writer, n, concerns_owners, content) VALUES ($1, $2, ${concernsOwners}, $3)`,
    [writer, n, JSON.stringify(leads ? { ...commit, results: [], deadLetters: [] } : commit)],
  );
  return true;
}

function describe({ now }: Transaction, work: Group['work'], outcome: GroupOutcome): RecordedCommit {
  const events = work.append.map((packed) => {
    const { receivedAt, planned } = unpackEvent(packed);
    return { draft: { receivedAt } as EventDraft, planned };
  });
  const group = { now, targetsVersion: null, work };
  const { events: _, ...commit } = describeCommit(events, work.result.map(unpackResult), group, outcome);
  return { ...commit, scheduled: commit.scheduled.map(({ editedBody: __, ...draft }) => draft) };
}
