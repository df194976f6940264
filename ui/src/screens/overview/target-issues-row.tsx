import { Link } from '@tanstack/react-router';
import type { Issue } from '@contract/health';
import type { Target } from '@contract/target';
import { DisclosureChevron } from '../../components/disclosure-chevron';
import { useNow } from '../../components/use-now';
import { useTargets } from '../../features/targets/use-targets';
import { localizeTimes } from '../../format/exact';
import { keepUnits } from '../../format/keep-units';
import { formatCount, formatNoun } from '../../format/number';
import { formatTimeLeft } from '../../format/relative';
import { needsAttention } from '../../labels/state-label';
import { causesOf, targetLabels } from '../../labels/target-labels';
import { recoveryOf, type IssueGroup } from './group-issues';
import { IssueRow } from './issue-row';
import classes from './issue-row.module.css';
import { stateDurationOf } from './issue-view';
import { TargetRemedies } from './remedy-button';

/** All that is the matter with a target in one line, what to do, and the whole story on request. */
export function TargetIssuesRow({ group, target }: { group: IssueGroup; target: Target }) {
  const { issues } = group;
  const advice = (recoveryOf(group) ?? issues[0]).remedy;
  return (
    <IssueRow group={group} actions={<TargetRemedies target={target} issues={issues} />}>
      <TargetIssuesLine group={group} target={target} />
      <details className={classes.remedy}>
        <summary>
          <DisclosureChevron /> {advice}
        </summary>
        <ul className={classes.details}>
          {issues.map((issue) => (
            <li key={issue.id}>{describeIssue(issue, advice)}</li>
          ))}
        </ul>
      </details>
    </IssueRow>
  );
}

/** The target, its state and its queue as they are now. */
export function TargetIssuesLine({ group, target }: { group: IssueGroup; target: Target }) {
  const now = useNow();
  const parts = [
    ...describeState(target, now),
    recoveryOf(group) === undefined ? null : 'responds again',
    ...describeQueue(target),
    stateDurationOf(target, group.issues, now),
  ];
  return (
    <span>
      <Link to="/targets/$id" params={{ id: target.id }} className={classes.name} data-row>
        {target.name}
      </Link>{' '}
      {keepUnits(parts.filter((part) => part !== null).join(' · '))}
    </span>
  );
}

/** @param advice is said above already */
const describeIssue = ({ sentence, remedy }: Issue, advice: string | null) =>
  localizeTimes(remedy === null || remedy === advice ? sentence : `${sentence} ${remedy}`);

/** Looks up the target of a group; null while the targets are loaded, or if there is none. */
export function useTargetOf({ targetId }: IssueGroup): Target | null {
  return useTargets().data?.find(({ id }) => id === targetId) ?? null;
}

/** Its states, why, and when that may end: `down · HTTP 500 · next probe in 14 s`. */
function describeState(target: Target, now: number): string[] {
  const { paused, breaker } = target;
  const states = targetLabels(target)
    .filter(needsAttention)
    .map(({ label }) => label.toLowerCase());
  return [
    ...(states.length === 0 ? [] : [states.join(', ')]),
    ...causesOf(target),
    ...(paused === null || paused.until === null ? [] : [`resumes ${formatTimeLeft(paused.until, now)}`]),
    ...(paused !== null || breaker === null ? [] : [`next probe ${formatTimeLeft(breaker.probe_at, now)}`]),
  ];
}

const describeQueue = ({ backlog: { open, dead } }: Target): string[] => [
  ...(dead === 0 ? [] : [formatNoun(dead, 'dead letter')]),
  ...(open === 0 ? [] : [`${formatCount(open)} queued`]),
];
