import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Issue } from '@contract/health';
import { healthQuery } from '../../api/health';
import { removeSnooze } from '../../api/snoozes';
import { ActionButton } from '../../components/action-button';
import { notifyFailure } from '../../components/notify-failure';
import { formatCount } from '../../format/number';
import headline from './headline.module.css';
import { IssueSentence } from './issue-row';
import classes from './issue-row.module.css';
import { labelOf } from './issue-view';

/** What is snoozed, on request. */
export function SnoozedIssues({ issues }: { issues: readonly Issue[] }) {
  const cache = useQueryClient();
  const [open, setOpen] = useState(false);
  const show = useMutation({
    mutationFn: removeSnooze,
    onSuccess: () => cache.invalidateQueries({ queryKey: healthQuery.queryKey }),
    onError: notifyFailure('Could not end the snooze'),
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
        {open ? 'Hide snoozed' : `${formatCount(issues.length)} snoozed`}
      </Button>
      {open && (
        <ul>
          {issues.map((issue) => (
            <li key={issue.id} className={classes.line} data-tone="idle">
              <span className={classes.sentence}>
                <IssueSentence issue={issue} />
              </span>
              <span className={classes.actions}>
                <ActionButton
                  aria-label={`Show again: ${labelOf(issue)}`}
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
