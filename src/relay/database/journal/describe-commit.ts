import type { Group, GroupOutcome } from './group';
import type { Committed, DeliveryResult, EventDraft, PlannedDelivery } from '../journal';

/** An event with what was planned for it when its group was made. */
export interface Planned {
  draft: EventDraft;
  planned: PlannedDelivery[];
}

/** What a group brought, as everybody who listens to commits is told. */
export function describeCommit(
  planned: readonly Planned[],
  results: readonly DeliveryResult[],
  group: Group,
  outcome: GroupOutcome,
): Committed {
  const committed: Committed = {
    events: planned.flatMap(({ draft }, i) => {
      const result = outcome.appends[i]!;
      const targets = group.appends[i]![3];
      return typeof result === 'string' || result[2] ? [] : [{ seq: result[0], draft, targets }];
    }),
    scheduled: [],
    settled: results.filter((_, i) => outcome.settles[i] === true),
    concluded: [],
    promoted: outcome.promoted,
    deadLetters: outcome.deadLetters,
  };
  for (const [i, result] of outcome.appends.entries()) {
    if (typeof result === 'string' || result[3] === undefined) continue;
    const at = planned[i]!.draft.receivedAt;
    committed.scheduled.push(
      ...result[3].map(({ key, lane }) => ({ ...key, lane, trigger: 'live' as const, replayId: null, at })),
    );
  }
  if (outcome.pruned !== null && 'concluded' in outcome.pruned) {
    committed.concluded.push(...outcome.pruned.concluded);
  }
  for (const [i, { schedule, conclude }] of group.changes.entries()) {
    const result = outcome.changes[i]!;
    if ('failed' in result) continue;
    committed.scheduled.push(...schedule.map((draft, k) => ({ ...draft, n: result.scheduled[k]!.n })));
    for (const [k, { key, at, note, dead }] of conclude.entries()) {
      const concluded = result.concluded[k]!;
      const died = dead === undefined ? null : { at, note, cause: dead.ending };
      if (concluded !== null) committed.concluded.push({ key, ...concluded, died });
    }
  }
  return committed;
}
