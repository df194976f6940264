import { ActionIcon, Tooltip } from '@mantine/core';
import { IconBellOff } from '@tabler/icons-react';
import { useState } from 'react';
import type { Issue } from '@contract/health';
import { useDenial } from '../../components/use-denial';
import { TimeAgo } from '../../components/time-ago';
import { localizeTimes } from '../../format/exact';
import classes from './issue-row.module.css';
import { labelOf, titleOf, toneOf } from './issue-view';
import { RemedyButton } from './remedy-button';
import { SnoozeDialog } from './snooze-dialog';

/** What needs attention: title, facts, number, and the buttons that resolve or snooze it. */
export function IssueRow({ issue }: { issue: Issue }) {
  const { count } = issue;
  const denial = useDenial('operate');
  const [snoozing, setSnoozing] = useState(false);
  const label = `Snooze: ${labelOf(issue)}`;
  return (
    <li className={classes.line} data-tone={toneOf(issue)}>
      <span className={classes.sentence}>
        <IssueSentence issue={issue} />
        <IssueFacts issue={issue} />
      </span>
      {count !== null && <span className={classes.count}>{count}</span>}
      <span className={classes.actions}>
        <RemedyButton issue={issue} />
        <Tooltip label={denial ?? 'Snooze'}>
          <ActionIcon
            aria-label={label}
            aria-disabled={denial !== null || undefined}
            onClick={() => setSnoozing(denial === null)}
          >
            <IconBellOff size={16} stroke={1.6} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </span>
      <SnoozeDialog issue={issue} opened={snoozing} close={() => setSnoozing(false)} />
    </li>
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

/** The remedy of an issue, its severity and start. */
function IssueFacts({ issue: { remedy, severity, since } }: { issue: Issue }) {
  return (
    <>
      {remedy !== null && <span className={classes.remedy}>{localizeTimes(remedy)}</span>}
      {severity !== 'info' && since !== null && (
        <span className={classes.facts}>
          {severity === 'critical' ? 'Critical' : 'Warning'}, began <TimeAgo at={since} />
        </span>
      )}
    </>
  );
}
