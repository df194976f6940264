import { ActionIcon, Tooltip } from '@mantine/core';
import { IconBellOff } from '@tabler/icons-react';
import { useState } from 'react';
import type { AlertSummary } from '@contract/alert';
import { useDenial } from '../../components/use-denial';
import { TimeAgo } from '../../components/time-ago';
import { localizeTimes } from '../../format/exact';
import type { Issue } from './issue';
import classes from './issue-row.module.css';
import { RemedyButton } from './remedy-button';
import { SnoozeDialog } from './snooze-dialog';

/** What needs attention: subject, facts, number, and the buttons that resolve or snooze it. */
export function IssueRow({ issue }: { issue: Issue }) {
  const { subject, count, tone, remedy, alert } = issue;
  const denial = useDenial('operate');
  const [snoozing, setSnoozing] = useState(false);
  const label = `Snooze: ${subject}`;
  return (
    <li className={classes.line} data-tone={tone}>
      <span className={classes.sentence}>
        <IssueSentence issue={issue} />
        {alert !== undefined && <AlertFacts alert={alert} />}
      </span>
      {count !== undefined && <span className={classes.count}>{count}</span>}
      <span className={classes.actions}>
        <RemedyButton remedy={remedy} />
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

/** The subject, followed by what is the matter with it: the sentence of an alert has a subject of its own. */
export function IssueSentence({ issue: { subject, sentence, alert } }: { issue: Issue }) {
  return (
    <>
      <strong>{subject}</strong>
      {alert === undefined && /^[a-z]/.test(sentence) ? ' ' : ': '}
      {localizeTimes(sentence.replace(/\.?$/, '.'))}
    </>
  );
}

/** The remedy of an alert, its severity and start. */
function AlertFacts({ alert: { remedy, severity, since } }: { alert: AlertSummary }) {
  return (
    <>
      <span className={classes.remedy}>{localizeTimes(remedy)}</span>
      <span className={classes.facts}>
        {severity === 'critical' ? 'Critical' : 'Warning'}, raised <TimeAgo at={since} />
      </span>
    </>
  );
}
