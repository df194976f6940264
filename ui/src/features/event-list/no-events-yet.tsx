import { IconInbox } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { CONSENT_PATH, connectionQuery } from '../../api/connection';
import { EmptyNote } from '../../components/empty-note';
import { GuardedButton } from '../../components/guarded-button';
import { FirstEventHint } from './first-event-hint';
import { needsConsent } from '../../labels/connection-labels';

/** Explains why there are no events, and how to get the first one. */
export function NoEventsYet() {
  const { data: connection } = useQuery(connectionQuery);
  if (connection !== undefined && needsConsent(connection)) {
    return (
      <EmptyNote title="No events yet" icon={<IconInbox size={22} stroke={1.6} />}>
        <p>
          Authorize Switchboard at Co&#8209;Pilot to receive events. Switchboard then registers its webhook
          automatically, and everything that happens in Co&#8209;Pilot appears here.
        </p>
        <GuardedButton needs="admin" href={CONSENT_PATH} variant="filled">
          Connect to Co-Pilot
        </GuardedButton>
      </EmptyNote>
    );
  }
  return (
    <EmptyNote title="No events yet" icon={<IconInbox size={22} stroke={1.6} />}>
      <p>
        <FirstEventHint />
      </p>
    </EmptyNote>
  );
}
