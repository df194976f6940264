import { ActionIcon, Tooltip } from '@mantine/core';
import { IconBellOff } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { Issue } from '@contract/health';
import { StateMark } from '../../components/state-badge';
import { useDenial } from '../../components/use-denial';
import { useNow } from '../../components/use-now';
import { localizeTimes } from '../../format/exact';
import type { IssueGroup } from './group-issues';
import classes from './issue-row.module.css';
import { durationOf, labelOf, titleOf } from './issue-view';
import { RemedyButton } from './remedy-button';
import { SnoozeDialog } from './snooze-dialog';

interface IssueRowProps {
  group: IssueGroup;
  actions: ReactNode;
  children: ReactNode;
}

/** The layout of what needs attention: text, and the buttons that resolve or acknowledge it. */
export function IssueRow({ group, actions, children }: IssueRowProps) {
  const denial = useDenial('operate');
  const [acknowledging, setAcknowledging] = useState(false);
  return (
    <li className={classes.line}>
      <span className={classes.sentence}>
        <span className={classes.mark}>
          <StateMark tone={group.tone} />
        </span>
        {children}
      </span>
      <span className={classes.actions}>
        {actions}
        <Tooltip label={denial ?? 'Acknowledge'} events={{ hover: true, focus: true, touch: true }}>
          <ActionIcon
            aria-label={`Acknowledge: ${labelOf(group)}`}
            aria-disabled={denial !== null || undefined}
            data-disabled={denial !== null || undefined}
            onClick={() => setAcknowledging(denial === null)}
          >
            <IconBellOff size={16} stroke={1.6} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </span>
      <SnoozeDialog group={group} opened={acknowledging} close={() => setAcknowledging(false)} />
    </li>
  );
}

/** What the title counts needs no word. */
const SEVERITIES: Record<Issue['severity'], string | null> = {
  critical: 'Critical',
  warning: null,
  info: 'Remark',
};

/** An issue that is about no target. */
export function SingleIssueRow({ group }: { group: IssueGroup }) {
  const now = useNow();
  const [issue] = group.issues;
  const { remedy, count } = issue;
  const facts = [SEVERITIES[issue.severity], count, durationOf(group.issues, now)].filter(
    (part) => part !== null,
  );
  return (
    <IssueRow group={group} actions={<RemedyButton issue={issue} />}>
      <IssueSentence issue={issue} />
      {facts.length > 0 && <span className={classes.facts}> {facts.join(' · ')}</span>}
      {remedy !== null && <span className={classes.remedy}>{localizeTimes(remedy)}</span>}
    </IssueRow>
  );
}

/** The title, and what is the matter. */
export function IssueSentence({ issue }: { issue: Issue }) {
  return (
    <>
      <strong>{titleOf(issue)}</strong>: {localizeTimes(issue.sentence)}
    </>
  );
}
