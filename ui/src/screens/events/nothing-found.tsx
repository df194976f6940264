import { Button } from '@mantine/core';
import { IconInbox, IconSearchOff } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { EmptyNote } from '../../components/empty-note';

/** Why there is nothing to show, and what brings something here. */
export function NothingFound({ filtered }: { filtered: boolean }) {
  if (filtered)
    return (
      <EmptyNote title="No stored event matches" icon={<IconSearchOff size={22} stroke={1.6} />}>
        <p>
          A text is looked for in the payload as it was received, capitals or not. A type may be a pattern
          such as <code>deal.*</code>. What retention has removed is not found any more.
        </p>
        <Button renderRoot={(props) => <Link to="/events" search={{}} {...props} />}>
          Clear all filters
        </Button>
      </EmptyNote>
    );
  return (
    <EmptyNote title="Nothing is stored yet" icon={<IconInbox size={22} stroke={1.6} />}>
      <p>
        Every notification of Co-Pilot is kept here, to be searched, exported and replayed. Whether they can
        come in at all tells the <Link to="/connection">connection</Link>; to see events without Co-Pilot, run{' '}
        <code>npm run demo</code>.
      </p>
    </EmptyNote>
  );
}
