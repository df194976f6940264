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
import { TimeAgo } from '../../components/time-ago';
import headline from './headline.module.css';
import { IssueSentence } from './issue-row';
import classes from './issue-row.module.css';
import { titleOf } from './issue-view';

/** What operators have acknowledged, on request. */
export function SnoozedIssues({ issues }: { issues: readonly Issue[] }) {
  const cache = useQueryClient();
  const [open, setOpen] = useState(false);
  const show = useMutation({
    mutationFn: removeSnooze,
    onSuccess: () => cache.invalidateQueries({ queryKey: healthQuery.queryKey }),
    onError: notifyFailure('Could not show it again'),
  });
  if (issues.length === 0) return null;
  return (
    <>
      <Button
        variant="subtle"
        className={headline.expand}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {open ? 'Hide acknowledged' : `${formatCount(issues.length)} acknowledged`}
      </Button>
      {open && (
        <ul>
          {issues.map((issue) => (
            <li key={issue.id} className={classes.line}>
              <span className={classes.sentence}>
                <span className={classes.mark}>
                  <StateMark tone="idle" />
                </span>
                <IssueSentence issue={issue} />
                <Acknowledgement issue={issue} />
              </span>
              <span className={classes.actions}>
                <ActionButton
                  aria-label={`Show again: ${[titleOf(issue), issue.target_name].filter((part) => part !== null).join(', ')}`}
                  pending={show.isPending}
                  action={() => show.mutate(issue.id)}
                >
                  Show again
                </ActionButton>
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Acknowledgement({ issue: { snoozed } }: { issue: Issue }) {
  if (snoozed === null) return null;
  const { at, operator, note } = snoozed;
  return (
    <span className={classes.remedy}>
      Acknowledged{operator !== null && ` by ${operator}`} <TimeAgo at={at} />
      {note !== null && `: “${note}”`}
    </span>
  );
}
