import type { HealthState } from '../../../contract/target-health';
import { formatCount } from '../../ground/format-count';
import { isoOrNull } from '../../ground/iso-time';
import { describeTargetProblem, type Unsuccessful } from '../../system-events/describe-target-problem';
import type { QueueDelay } from '../../deliveries/queue/queue-delays.query';
import { HOLDING } from '../../stats/target-health.query';
import type { TargetRecord } from '../../targets/target-record';
import { countOf, draftIssue, type IssueDraft } from './draft-issue';

export interface TargetFacts extends Unsuccessful {
  target: TargetRecord;
  states: readonly HealthState[];
  /** Its open circuit breaker. */
  opening: { openedAt: number; reason: string } | null;
  delay: QueueDelay;
  /** The number of its dead letters. */
  dead: number;
  /** When a pause ends, by the wall clock. */
  pausedUntil: number | null;
}

/**
 * What needs attention about a target: its most important state, from which the others follow, and lanes that are
 * blocked, which only an operator ends. A listener may be offline, fail or be behind, until its circuit breaker opens.
 */
export function* targetIssues(facts: TargetFacts): Generator<IssueDraft> {
  const { target, states, opening, delay, dead, pausedUntil, open, latest } = facts;
  const { id, name, paused, disabled } = target;
  const about = { target_id: id, target_name: name, count: open === 0 ? null : `${open} queued` };
  // An alert tells of a target that responded with 410.
  if (disabled !== null) return;
  if (states.includes('blocked')) {
    const lanes = delay.blockedLanes;
    yield draftIssue({
      code: 'target.blocked',
      id: `target.blocked:${id}`,
      severity: 'critical',
      sentence: `${name} is blocked: ${lanes === 1 ? 'a dead letter holds' : `${formatCount(lanes)} dead letters hold`} up the deliveries behind ${lanes === 1 ? 'it in its lane' : 'them in their lanes'}.`,
      remedy: 'Fix its receiver and retry the dead letters, or discard them.',
      ...about,
    });
  }
  const isHeld = states.some((state) => state === 'disabled' || HOLDING.includes(state));
  if (latest.recoveredAt !== null && dead > 0 && !isHeld)
    yield draftIssue({
      code: 'target.recovered',
      // Another recovery is another issue.
      id: `target.recovered:${id}:${latest.recoveredAt}`,
      severity: 'info',
      sentence: `${name} responds again.`,
      remedy: `Retry its ${countOf(dead, 'dead letter')}.`,
      since: isoOrNull(latest.recoveredAt),
      ...about,
    });
  if (paused !== null)
    yield draftIssue({
      code: 'target.paused',
      // Another pause of the same target is another issue.
      id: `target.paused:${id}:${paused.at}`,
      sentence: `${name} is paused: ${paused.reason.replace(/\.?$/, '.')}${pausedUntil === null ? '' : ` It is resumed at ${isoOrNull(pausedUntil)}.`}`,
      remedy: 'Resume it when its receiver is ready; until then its deliveries are queued.',
      since: isoOrNull(paused.at),
      deliberate: true,
      ...about,
    });
  else if (target.listener !== null && opening === null) return;
  else if (opening !== null || states.includes('failing')) {
    const problem =
      opening === null
        ? ({ kind: 'failing', ...facts } as const)
        : ({ ...facts, kind: 'down', since: opening.openedAt, reason: opening.reason } as const);
    const { severity, sentence, remedy } = describeTargetProblem(target, problem);
    const since = isoOrNull(opening?.openedAt ?? facts.latest.failingSince);
    const code = `target.${problem.kind}` as const;
    yield draftIssue({ code, id: `${code}:${id}`, severity, sentence, remedy, since, ...about });
  } else if (states.includes('behind')) {
    const since = isoOrNull(delay.dueSince);
    yield draftIssue({
      code: 'target.behind',
      id: `target.behind:${id}`,
      sentence: `${name} is behind: the next of ${countOf(open, 'queued delivery', 'queued deliveries')} has been waiting since ${since}.`,
      remedy:
        'Increase rate or concurrency in the policy of the target, or find out why its receiver is slow.',
      since,
      ...about,
    });
  }
}
