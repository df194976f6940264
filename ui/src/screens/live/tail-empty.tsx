import { Button } from '@mantine/core';
import { IconFilterOff } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import type { EventFilter } from '../../api/events';
import { formatFilter } from '../../search/live-search';
import { EmptyNote } from '../../components/empty-note';
import { NoEventsYet } from '../../features/event-list/no-events-yet';

/** Explains an empty list and how to fill it. */
export function TailEmpty({ filter }: { filter: EventFilter }) {
  const navigate = useNavigate();
  if (formatFilter(filter).length > 0) {
    return (
      <EmptyNote title="No events match this filter" icon={<IconFilterOff size={22} stroke={1.6} />}>
        <p>New matching events appear here as they arrive.</p>
        {filter.name !== undefined && (
          <p>
            No name contains “{filter.name}”.{' '}
            <Link to="/events" search={{ q: filter.name }}>
              Search the payloads of all events for it
            </Link>
            .
          </p>
        )}
        <Button onClick={() => void navigate({ to: '/live' })}>Clear filter</Button>
      </EmptyNote>
    );
  }
  return <NoEventsYet />;
}
