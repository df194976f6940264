import type { Issue } from '@contract/health';

/** What needs attention: one issue, or all that are about the same target. The most severe issue is the first. */
export interface IssueGroup {
  id: string;
  /** Null if it is about something else. */
  targetId: string | null;
  severity: Issue['severity'];
  issues: readonly [Issue, ...Issue[]];
}

/** @param issues the most severe first */
export function groupIssues(issues: readonly Issue[]): IssueGroup[] {
  const groups = new Map<string, IssueGroup>();
  for (const issue of issues) {
    const id = issue.target_id ?? issue.id;
    const known = groups.get(id);
    if (known === undefined)
      groups.set(id, { id, targetId: issue.target_id, severity: issue.severity, issues: [issue] });
    else groups.set(id, { ...known, issues: [...known.issues, issue] });
  }
  return [...groups.values()];
}

/** The number in the title: remarks are listed, but need no attention. */
export const countAttention = (groups: readonly IssueGroup[]): number =>
  groups.filter(({ severity }) => severity !== 'info').length;
