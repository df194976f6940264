import { Button } from '@mantine/core';
import { IconFilterOff, IconInbox } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { CONSENT_PATH, connectionQuery } from '../../api/connection';
import { GuardedButton } from '../../components/guarded-button';
import type { EventFilter } from '../../api/events';
import { formatFilter } from '../../search/live-search';
import { EmptyNote } from '../../components/empty-note';
import { needsConsent } from '../../labels/connection-labels';

/** Explains an empty list and how to fill it. */
export function TailEmpty({ filter }: { filter: EventFilter }) {
  const navigate = useNavigate();
  const { data: connection } = useQuery(connectionQuery);
  if (formatFilter(filter).length > 0) {
    // Types consist of words with dots in between.
    const word = filter.type?.map((type) => type.replaceAll('*', '')).findLast((type) => !type.includes('.'));
    return (
      <EmptyNote title="No events match this filter" icon={<IconFilterOff size={22} stroke={1.6} />}>
        <p>New matching events appear here as they arrive.</p>
        {word !== undefined && (
          <p>
            No event type contains “{word}”.{' '}
            <Link to="/events" search={{ q: word }}>
              Search the payloads of all events for it
            </Link>
            .
          </p>
        )}
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
