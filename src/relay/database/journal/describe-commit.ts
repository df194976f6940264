import type { Group, GroupOutcome, PlannedEvent } from './group';
import type { Committed, DeliveryResult } from '../journal';

/** Describes a committed group for the commit listeners. */
export function describeCommit(
  events: readonly PlannedEvent[],
  settled: readonly DeliveryResult[],
  { work }: Group,
  { results, promoted, deadLetters }: GroupOutcome,
): Committed {
  const committed: Committed = {
    events: events.flatMap(({ draft }, i) => {
      const result = results.append[i]!;
      const targets = work.append[i]![3];
      return typeof result === 'string' || result[2] ? [] : [{ seq: result[0], draft, targets }];
    }),
    scheduled: [],
    settled: settled.filter((_, i) => results.settle[i] === true),
    concluded: [],
    promoted,
    deadLetters,
  };
  for (const [i, result] of results.append.entries()) {
    if (typeof result === 'string' || result[3] === undefined) continue;
    const at = events[i]!.draft.receivedAt;
    committed.scheduled.push(
      ...result[3].map(({ key, lane }) => ({ ...key, lane, trigger: 'live' as const, replayId: null, at })),
    );
  }
  for (const pruned of results.prune)
    if (typeof pruned !== 'string') committed.concluded.push(...pruned.concluded);
  for (const [i, { schedule, conclude }] of work.change.entries()) {
    const result = results.change[i]!;
    if (typeof result === 'string') continue;
    committed.scheduled.push(...schedule.map((draft, k) => ({ ...draft, n: result.scheduled[k]!.n })));
    for (const [k, { key, at, note, dead }] of conclude.entries()) {
      const concluded = result.concluded[k]!;
      const died = dead === undefined ? null : { at, note, cause: dead.ending };
      if (concluded !== null) committed.concluded.push({ key, ...concluded, died });
    }
  }
  return committed;
}
