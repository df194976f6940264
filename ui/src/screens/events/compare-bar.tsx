import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconGitCompare, IconX } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { EventSummary } from '@contract/event';
import { Dialog } from '../../components/dialog';
import { Difference } from '../../features/entity-history/difference';
import { formatExact } from '../../format/exact';
import classes from './compare-bar.module.css';

interface CompareBarProps {
  /** The chosen events, at most two. */
  events: readonly EventSummary[];
  clear: () => void;
}

/** The events that were chosen to be compared, and their differences. */
export function CompareBar({ events, clear }: CompareBarProps) {
  const [opened, { open, close }] = useDisclosure(false);
  const [before, after] = events.toSorted((one, other) => one.seq - other.seq);
  if (before === undefined) return null;
  return (
    <div className={classes.bar}>
      <output>{after === undefined ? '1 event selected; select another with x' : '2 events selected'}</output>
      {after !== undefined && (
        <Button
          size="compact-sm"
          variant="filled"
          leftSection={<IconGitCompare size={14} aria-hidden />}
          onClick={open}
        >
          Compare
        </Button>
      )}
      <Button
        size="compact-sm"
        variant="subtle"
        leftSection={<IconX size={14} aria-hidden />}
        onClick={clear}
      >
        Clear selection
      </Button>
      {after !== undefined && (
        <Dialog title="What differs" opened={opened} close={close} size="lg">
          <dl className={classes.events}>
            <Compared name="Earlier" event={before} />
            <Compared name="Later" event={after} />
          </dl>
          <Difference key={`${before.id} ${after.id}`} event={after} previous={before} />
        </Dialog>
      )}
    </div>
  );
}

function Compared({ name, event }: { name: string; event: EventSummary }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <Link to="/events/$id" params={{ id: event.id }}>
          {event.type}
        </Link>{' '}
        {event.entity} <bdi>{event.name}</bdi>, {formatExact(event.received_at)}
      </dd>
    </div>
  );
}
