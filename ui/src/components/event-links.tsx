import { Link } from '@tanstack/react-router';

/** A text in which the ids of events are links. */
export const EventLinks = ({ text }: { text: string }) =>
  text.split(/(evt_\w+)/).map((part) =>
    part.startsWith('evt_') ? (
      <Link key={part} to="/events/$id" params={{ id: part }}>
        {part}
      </Link>
    ) : (
      part
    ),
  );
