import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { OpenSession } from '../../../../src/contract/session';
import { AUDIT_KEY } from '../../api/audit';
import { revokeAllSessions, revokeSession, sessionsQuery } from '../../api/sessions';
import { ActionOutcome } from '../../components/action-outcome';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { Panel } from '../../components/panel';
import { PendingData } from '../../components/pending-data';
import { useSignOut } from '../../features/sign-in/use-sign-out';
import { browserLabel } from '../../labels/browser-labels';
import { SessionRow } from './session-row';
import classes from './tokens-panel.module.css';

/** Which browsers are logged in, and how to end that. */
export function SessionsPanel() {
  const cache = useQueryClient();
  const query = useQuery(sessionsQuery);
  const [asking, setAsking] = useState(false);
  const outcome = useRef<HTMLDivElement>(null);
  const endAll = useSignOut(revokeAllSessions);
  const endThis = useSignOut(() => revokeSession(query.data?.find(({ current }) => current)?.id ?? ''));
  const endOther = useMutation({
    mutationFn: ({ id }: OpenSession) => revokeSession(id),
    onSuccess: async () => {
      outcome.current?.focus();
      await cache.invalidateQueries({ queryKey: sessionsQuery.queryKey });
      await cache.invalidateQueries({ queryKey: AUDIT_KEY });
    },
  });
  const ended = endOther.isSuccess ? endOther.variables : null;
  return (
    <Panel
      title="Sessions"
      flush
      aside={
        <Button color="red" onClick={() => setAsking(true)}>
          Sign out everywhere
        </Button>
      }
    >
      <p className={classes.lead}>
        Browsers that are signed in to this dashboard. A session expires 30 days after sign-in, after 7 days
        of inactivity, or when the token it was opened with is revoked.
      </p>
      <div className={classes.outcome}>
        <ActionOutcome
          focusRef={outcome}
          done={ended && `${browserLabel(ended.user_agent)} from ${ended.address} was signed out.`}
          error={endOther.error ?? endThis.error}
        />
      </div>
      <PendingData query={query} rows={1} flush />
      <ul>
        {query.data?.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            signOut={() => (session.current ? endThis.mutate() : endOther.mutate(session))}
          />
        ))}
      </ul>
      <ConfirmDialog
        title="Sign out everywhere?"
        opened={asking}
        close={() => setAsking(false)}
        cancelLabel="Cancel"
        confirmLabel="Sign out everywhere"
        isDestructive
        pending={endAll.isPending}
        error={endAll.error}
        confirm={() => endAll.mutate()}
      >
        <p>
          Every browser has to sign in again, <strong>this one too</strong>. API tokens are not affected.
        </p>
      </ConfirmDialog>
    </Panel>
  );
}
