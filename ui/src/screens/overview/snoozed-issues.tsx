import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Issue } from '@contract/health';
import { healthQuery } from '../../api/health';
import { removeSnooze } from '../../api/snoozes';
import { ActionButton } from '../../components/action-button';
import { StateMark } from '../../components/state-badge';
import { notifyFailure } from '../../components/notify-failure';
import { formatCount } from '../../format/number';
import { formatTime } from '../../format/time-range';
import { TimeAgo } from '../../components/time-ago';
import headline from './headline.module.css';
import { IssueSentence } from './issue-row';
import classes from './issue-row.module.css';
import type { IssueGroup } from './group-issues';
import { labelOf } from './issue-view';
import { TargetIssuesLine, useTargetOf } from './target-issues-row';

/** What operators have acknowledged, on request. */
export function SnoozedIssues({ groups }: { groups: readonly IssueGroup[] }) {
  const [open, setOpen] = useState(false);
  if (groups.length === 0) return null;
  return (
    <>
      <Button
        variant="subtle"
        className={headline.expand}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {open ? 'Hide acknowledged' : `${formatCount(groups.length)} acknowledged`}
      </Button>
      {open && (
        <ul>
          {groups.map((group) => (
            <SnoozedRow key={group.id} group={group} />
          ))}
        </ul>
      )}
    </>
  );
}

function SnoozedRow({ group }: { group: IssueGroup }) {
  const cache = useQueryClient();
  const target = useTargetOf(group);
  const { issues } = group;
  const show = useMutation({
    mutationFn: () => Promise.all(issues.map(({ id }) => removeSnooze(id))),
    onSettled: () => cache.invalidateQueries({ queryKey: healthQuery.queryKey }),
    onError: notifyFailure('Could not show it again'),
  });
  return (
    <li className={classes.line}>
      <span className={classes.sentence}>
        <span className={classes.mark}>
          <StateMark tone="idle" />
        </span>
        {target === null ? (
          <IssueSentence issue={issues[0]} />
        ) : (
          <TargetIssuesLine group={group} target={target} />
        )}
        <Acknowledgement issue={issues[0]} />
      </span>
      <span className={classes.actions}>
        <ActionButton
          aria-label={`Show again: ${labelOf(group)}`}
          pending={show.isPending}
          action={() => show.mutate()}
        >
          Show again
        </ActionButton>
      </span>
    </li>
  );
}

function Acknowledgement({ issue: { snoozed } }: { issue: Issue }) {
  if (snoozed === null) return null;
  const { at, until, operator, note } = snoozed;
  return (
    <span className={classes.remedy}>
      Acknowledged{operator !== null && ` by ${operator}`} <TimeAgo at={at} />
      {until !== null && ` until ${formatTime(until)}`}
      {note !== null && `: “${note}”`}
    </span>
  );
}
