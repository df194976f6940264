import type { HealthState } from '../../../contract/target';
import { isoOrNull } from '../../ground/iso-time';
import { describeTargetProblem, type Unsuccessful } from '../../system-events/describe-target-problem';
import type { TargetRecord } from '../../targets/target-record';
import { countOf, draftIssue, type IssueDraft } from './draft-issue';

export interface TargetFacts extends Unsuccessful {
  target: TargetRecord;
  states: readonly HealthState[];
  /** Its open circuit breaker. */
  opening: { openedAt: number; reason: string } | null;
  oldestAt: number | null;
  /** When a pause ends, by the wall clock. */
  pausedUntil: number | null;
}

/**
 * The most important state of a target that needs attention: the others follow from that. Null without one. A listener
 * may be offline, fail or be behind, until its circuit breaker opens.
 */
export function targetIssue(facts: TargetFacts): IssueDraft | null {
  const { target, states, opening, oldestAt, pausedUntil, open } = facts;
  const { id, name, paused, disabled } = target;
  const about = { target_id: id, target_name: name, count: open === 0 ? null : `${open} queued` };
  // An alert tells of a target that responded with 410.
  if (disabled !== null) return null;
  if (paused !== null)
    return draftIssue({
      code: 'target.paused',
      // Another pause of the same target is another issue.
      id: `target.paused:${id}:${paused.at}`,
      sentence: `${name} is paused: ${paused.reason}${pausedUntil === null ? '' : ` It is resumed at ${isoOrNull(pausedUntil)}.`}`,
      remedy: 'Resume it when its receiver is ready; until then its deliveries are queued.',
      since: isoOrNull(paused.at),
      deliberate: true,
      ...about,
    });
  if (target.listener !== null && opening === null) return null;
  if (opening !== null || states.includes('failing')) {
    const problem =
      opening === null
        ? ({ kind: 'failing', ...facts } as const)
        : ({ ...facts, kind: 'down', since: opening.openedAt, reason: opening.reason } as const);
    const { severity, sentence, remedy } = describeTargetProblem(target, problem);
    const since = isoOrNull(opening?.openedAt ?? facts.latest.failingSince);
    const code = `target.${problem.kind}` as const;
    return draftIssue({ code, id: `${code}:${id}`, severity, sentence, remedy, since, ...about });
  }
  if (!states.includes('behind') || oldestAt === null) return null;
  return draftIssue({
    code: 'target.behind',
    id: `target.behind:${id}`,
    sentence: `${name} is behind: the oldest of ${countOf(open, 'queued delivery', 'queued deliveries')} is from ${isoOrNull(oldestAt)}.`,
    remedy: 'Increase rate or concurrency in the policy of the target, or find out why its receiver is slow.',
    since: isoOrNull(oldestAt),
    ...about,
  });
}
