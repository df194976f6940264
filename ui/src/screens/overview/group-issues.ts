import type { Issue } from '@contract/health';
import type { Target } from '@contract/target';
import { severityOf, targetLabels } from '../../labels/target-labels';

/** What needs attention: one issue, or all that are about the same target. The most severe issue is the first. */
export interface IssueGroup {
  id: string;
  /** Null if it is about something else. */
  targetId: string | null;
  severity: Issue['severity'];
  issues: readonly [Issue, ...Issue[]];
}

/**
 * The worst group first: what is about no target, then by the states of the targets.
 * @param issues the most severe first
 */
export function groupIssues(issues: readonly Issue[], targets: readonly Target[] = []): IssueGroup[] {
  const groups = new Map<string, IssueGroup>();
  for (const issue of issues) {
    const id = issue.target_id ?? issue.id;
    const known = groups.get(id);
    if (known === undefined)
      groups.set(id, { id, targetId: issue.target_id, severity: issue.severity, issues: [issue] });
    else groups.set(id, { ...known, issues: [...known.issues, issue] });
  }
  const targetOf = ({ targetId }: IssueGroup) => targets.find(({ id }) => id === targetId);
  const rankOf = (group: IssueGroup) => (isBad(targetOf(group)) ? 0 : SEVERITIES.indexOf(group.severity));
  const stateOf = (group: IssueGroup) => {
    const target = targetOf(group);
    return target === undefined ? -1 : severityOf(target);
  };
  return [...groups.values()].sort((a, b) => rankOf(a) - rankOf(b) || stateOf(a) - stateOf(b));
}

const SEVERITIES: readonly Issue['severity'][] = ['critical', 'warning', 'info'];

/** Whether its row is red, whatever the severity of its issues. */
export const isBad = (target: Target | undefined): boolean =>
  target !== undefined && targetLabels(target).some(({ tone }) => tone === 'bad');

/** The number in the title: remarks are listed, but need no attention. */
export const countAttention = (groups: readonly IssueGroup[]): number =>
  groups.filter(({ severity }) => severity !== 'info').length;
