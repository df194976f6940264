import type { Issue } from '@contract/health';
import type { Target } from '@contract/target';
import type { Tone } from '../../labels/state-label';
import { severityOf, targetLabels } from '../../labels/target-labels';

/** What needs attention: one issue, or all that are about the same target. The most severe issue is the first. */
export interface IssueGroup {
  id: string;
  /** Null if it is about something else. */
  targetId: string | null;
  severity: Issue['severity'];
  /** Of its row: that of its severity, but red if the state of its target is. */
  tone: Tone;
  issues: readonly [Issue, ...Issue[]];
}

/**
 * The connection to Co-Pilot first, on which all depends; then targets that respond again, since a click ends what they
 * left; then the worst: what is about no target, then by the states of the targets, and in their order.
 * @param issues the most severe first
 */
export function groupIssues(issues: readonly Issue[], targets: readonly Target[] = []): IssueGroup[] {
  const indexOf = (targetId: string | null) => targets.findIndex(({ id }) => id === targetId);
  const targetOf = (targetId: string | null) => targets[indexOf(targetId)];
  const groups = new Map<string, IssueGroup>();
  for (const issue of issues) {
    const { target_id: targetId, severity } = issue;
    const id = targetId ?? issue.id;
    const known = groups.get(id);
    if (known !== undefined) groups.set(id, { ...known, issues: [...known.issues, issue] });
    else {
      const tone = isBad(targetOf(targetId)) ? 'bad' : TONES[severity];
      groups.set(id, { id, targetId, severity, tone, issues: [issue] });
    }
  }
  const rankOf = (group: IssueGroup) => {
    if (isUpstream(group)) return -2;
    return recoveryOf(group) === undefined ? RANKS.indexOf(group.tone) : -1;
  };
  const stateOf = ({ targetId }: IssueGroup) => {
    const target = targetOf(targetId);
    return target === undefined ? -1 : severityOf(target);
  };
  return [...groups.values()].sort(
    (a, b) => rankOf(a) - rankOf(b) || stateOf(a) - stateOf(b) || indexOf(a.targetId) - indexOf(b.targetId),
  );
}

const isUpstream = ({ issues: [{ code }] }: IssueGroup): boolean => /^(connection|subscription)\./.test(code);

/** Says that its target responds again, if it does. */
export const recoveryOf = ({ issues }: IssueGroup): Issue | undefined =>
  issues.find(({ code }) => code === 'target.recovered');

const TONES: Record<Issue['severity'], Tone> = { critical: 'bad', warning: 'warn', info: 'idle' };
const RANKS: readonly Tone[] = Object.values(TONES);

const isBad = (target: Target | undefined): boolean =>
  target !== undefined && targetLabels(target).some(({ tone }) => tone === 'bad');

/** The number in the title: remarks are listed, but need no attention. */
export const countAttention = (groups: readonly IssueGroup[]): number =>
  groups.filter(({ severity }) => severity !== 'info').length;
