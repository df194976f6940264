import { Button } from '@mantine/core';
import { IconFilterOff, IconInbox } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { CONSENT_PATH, connectionQuery } from '../../api/connection';
import { GuardedButton } from '../../components/guarded-button';
import { EmptyNote } from '../../components/empty-note';
import { needsConsent } from '../../labels/connection-labels';

const route = getRouteApi('/signed-in/live');

/** Explains an empty list and how to fill it. */
export function TailEmpty() {
  const filter = route.useSearch();
  const navigate = useNavigate();
  const { data: connection } = useQuery(connectionQuery);
  if (Object.keys(filter).length > 0) {
    return (
      <EmptyNote title="No events match this filter" icon={<IconFilterOff size={22} stroke={1.6} />}>
        <p>New matching events appear here as they arrive.</p>
        <Button onClick={() => void navigate({ to: '/live' })}>Clear filter</Button>
      </EmptyNote>
    );
  }
  if (connection !== undefined && needsConsent(connection)) {
    return (
      <EmptyNote title="No events yet" icon={<IconInbox size={22} stroke={1.6} />}>
        <p>
          Authorize Switchboard at Co-Pilot to receive events. Switchboard then registers its webhook
          automatically, and everything that happens in Co-Pilot appears here.
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
        Change something in Co-Pilot, a deal’s status for example. The event appears here within a second. To
        see events without Co-Pilot, run <code>npm run demo</code>.
      </p>
    </EmptyNote>
  );
}
