import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { OpenSession } from '@contract/session';
import { AUDIT_KEY } from '../../api/audit';
import { revokeAllSessions, revokeSession, sessionsQuery } from '../../api/sessions';
import { ActionOutcome } from '../../components/action-outcome';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { Panel, PanelText } from '../../components/panel';
import { PendingData } from '../../components/pending-data';
import { ShowAll } from '../../components/show-all';
import { useSignOut } from '../../features/sign-in/use-sign-out';
import { browserLabel } from '../../labels/browser-labels';
import { SessionRow } from './session-row';
import classes from './tokens-panel.module.css';

const INITIALLY_SHOWN = 5;

/** The open sessions, with buttons to end them. */
export function SessionsPanel() {
  const cache = useQueryClient();
  const query = useQuery(sessionsQuery);
  const [confirming, setConfirming] = useState(false);
  const outcome = useRef<HTMLDivElement>(null);
  const signOutAll = useSignOut(revokeAllSessions);
  const signOutThis = useSignOut(() => revokeSession(query.data?.find(({ current }) => current)?.id ?? ''));
  const signOutOther = useMutation({
    mutationFn: ({ id }: OpenSession) => revokeSession(id),
    onSuccess: async () => {
      outcome.current?.focus();
      await cache.invalidateQueries({ queryKey: sessionsQuery.queryKey });
      await cache.invalidateQueries({ queryKey: AUDIT_KEY });
    },
  });
  const signedOut = signOutOther.isSuccess ? signOutOther.variables : null;
  return (
    <Panel
      title="Sessions"
      flush
      aside={
        <Button color="red" onClick={() => setConfirming(true)}>
          Sign out everywhere
        </Button>
      }
    >
      <PanelText>
        Browsers that are signed in to this dashboard. A session expires 30 days after sign-in, after 7 days
        of inactivity, or when the token it was opened with is revoked.
      </PanelText>
      <div className={classes.outcome}>
        <ActionOutcome
          focusRef={outcome}
          done={
            signedOut && `${browserLabel(signedOut.user_agent)} from ${signedOut.address} was signed out.`
          }
          error={signOutOther.error ?? signOutThis.error}
        />
      </div>
      <PendingData query={query} rows={1} flush />
      <ShowAll items={query.data ?? []} initiallyShown={INITIALLY_SHOWN}>
        {(shown) => (
          <ul>
            {shown.map((session) => (
              <SessionRow
                key={session.id}
                session={session}
                signOut={() => (session.current ? signOutThis.mutate() : signOutOther.mutate(session))}
              />
            ))}
          </ul>
        )}
      </ShowAll>
      <ConfirmDialog
        title="Sign out everywhere?"
        opened={confirming}
        close={() => setConfirming(false)}
        cancelLabel="Cancel"
        confirmLabel="Sign out everywhere"
        isDestructive
        pending={signOutAll.isPending}
        error={signOutAll.error}
        confirm={() => signOutAll.mutate()}
      >
        <p>
          Every browser has to sign in again, <strong>this one too</strong>. API tokens are not affected.
        </p>
      </ConfirmDialog>
    </Panel>
  );
}
