import type { HealthState, Target } from '@contract/target';
import { DEFAULT_PAUSE_REASON } from '@contract/constants';
import { formatCount, formatNoun } from '../../format/number';
import { formatOneUnit, formatTimeLeft } from '../../format/relative';
import { reasonOf } from '../../labels/target-labels';
import type { Issue } from './issue';

type Facts = Omit<Issue, 'id' | 'subject'>;

/** One issue per target at most, by its most important state: the others follow from that. */
export function targetIssues(targets: Target[] | undefined, now: number): Issue[] {
  if (targets === undefined) return [];
  if (targets.length === 0) {
    const sentence = 'Events are stored but not delivered';
    return [
      { id: 'no-target', tone: 'warn', subject: 'No targets', sentence, remedy: { action: 'create-target' } },
    ];
  }
  return targets.flatMap((target) => {
    const state = target.health.states.find((one) => ISSUES[one] !== undefined);
    // A target that responded 410 is reported by an alert.
    if (state === undefined || target.disabled !== null) return [];
    // Another pause of the same target is another issue.
    const occurrence = target.paused === null ? '' : `:${new Date(target.paused.at).getTime()}`;
    const id = `target.${state}:${target.id}${occurrence}`;
    return [{ id, subject: target.name, ...ISSUES[state]!(target, now) }];
  });
}

const ISSUES: Partial<Record<HealthState, (target: Target, now: number) => Facts>> = {
  paused: (target, now) => {
    const { reason, until } = target.paused!;
    const why = reason === DEFAULT_PAUSE_REASON ? '' : `: ${reasonOf({ reason })}`;
    const end = until === null ? '' : `; resumes ${formatTimeLeft(until, now)}`;
    return {
      tone: 'warn',
      sentence: `is paused${why}${end}`,
      ...queuedCount(target),
      remedy: { action: 'resume-target', target },
      isDeliberate: true,
    };
  },
  down: (target, now) => {
    const { reason, opened_at: since } = target.breaker!;
    return {
      tone: 'bad',
      sentence: `is down: ${reasonOf({ reason })}, for ${age(since, now)}; recovery is checked automatically`,
      ...queuedCount(target),
      remedy: { action: 'open-target', target },
    };
  },
  failing: (target) => {
    const { attempts, failed } = target.health;
    return {
      tone: 'bad',
      sentence: `is failing: ${formatCount(failed)} of ${formatNoun(attempts, 'attempt')} in the last hour failed`,
      ...queuedCount(target),
      remedy: { action: 'open-target', target },
    };
  },
  behind: (target, now) => {
    const { oldest_at: oldest } = target.backlog;
    return {
      tone: 'warn',
      sentence: `is falling behind${oldest === null ? '' : `: the oldest delivery is queued for ${age(oldest, now)}`}`,
      ...queuedCount(target),
      remedy: { action: 'open-target', target },
    };
  },
};

const age = (at: string, now: number) => formatOneUnit(now - new Date(at).getTime());

const queuedCount = ({ backlog: { open } }: Target) =>
  open === 0 ? {} : { count: `${formatCount(open)} queued` };
