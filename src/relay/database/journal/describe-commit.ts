import { deliveryKeyText } from '../../ground/ids';
import type { Committed, DeliveryResult } from './journal';
import type { Group, GroupOutcome } from './group';

type StoredEvent = Committed['events'][number];

/** Describes a committed group for the commit listeners. */
export function describeCommit(
  events: readonly Pick<StoredEvent, 'draft' | 'planned'>[],
  results: readonly DeliveryResult[],
  { work }: Group,
  { outcomes, promoted, deadLetters }: GroupOutcome,
): Committed {
  const committed: Committed = {
    events: [],
    scheduled: [],
    results: results.filter((_, i) => outcomes.result[i] === true),
    ended: [],
    promoted,
    erased: [],
    deadLetters,
  };
  for (const [i, result] of outcomes.append.entries()) {
    if (typeof result === 'string') continue;
    const { draft, planned } = events[i]!;
    const [seq, , isDuplicate, deliveries = []] = result;
    if (!isDuplicate) committed.events.push({ seq, draft, planned });
    for (const { key, lane } of deliveries)
      committed.scheduled.push({ ...key, lane, trigger: 'live', replayId: null, at: draft.receivedAt });
  }
  for (const pruned of outcomes.prune) if (typeof pruned !== 'string') committed.ended.push(...pruned.ended);
  for (const [i, { schedule, end, erase }] of work.change.entries()) {
    const result = outcomes.change[i]!;
    if (typeof result === 'string') continue;
    committed.scheduled.push(...schedule.map((draft, k) => ({ ...draft, n: result.scheduled[k]!.n })));
    committed.ended.push(...result.cancelled);
    committed.erased.push(...(erase?.seqs ?? []));
    for (const [k, { key, at, note, asDeadLetter: dead }] of end.entries()) {
      const ended = result.ended[k]!;
      const deadLetter = dead === undefined ? null : { at, note, cause: dead.ending };
      if (ended !== null) committed.ended.push({ key, ...ended, deadLetter });
    }
  }
  // The queues send what is promoted at once, so what this group has ended is left out.
  const ended = new Set(committed.ended.map(({ key }) => deliveryKeyText(key)));
  if (ended.size > 0) committed.promoted = promoted.filter((key) => !ended.has(deliveryKeyText(key)));
  return committed;
}
