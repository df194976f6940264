import { Button } from '@mantine/core';
import { IconInbox, IconSearchOff } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { EmptyNote } from '../../components/empty-note';

/** Why there is nothing to show, and what brings something here. */
export function NothingFound({ filtered }: { filtered: boolean }) {
  if (filtered)
    return (
      <EmptyNote title="No events match" icon={<IconSearchOff size={22} stroke={1.6} />}>
        <p>
          Search looks for text anywhere in the payload, ignoring case. A type can be a pattern such as{' '}
          <code>deal.*</code>. Events past the retention period are gone.
        </p>
        <Button renderRoot={(props) => <Link to="/events" search={{}} {...props} />}>
          Clear all filters
        </Button>
      </EmptyNote>
    );
  return (
    <EmptyNote title="No events yet" icon={<IconInbox size={22} stroke={1.6} />}>
      <p>
        Every notification from Co-Pilot is stored here, ready to be searched, exported and replayed. Check{' '}
        <Link to="/connection">Connection</Link> to see whether events can arrive. To see events without
        Co-Pilot, run <code>npm run demo</code>.
      </p>
    </EmptyNote>
  );
}
