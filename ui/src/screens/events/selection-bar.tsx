import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconGitCompare, IconX } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { EventSummary, ExportFormat } from '@contract/event';
import type { EventSearch } from '../../api/events';
import { Dialog } from '../../components/dialog';
import { ExactTime } from '../../components/time-ago';
import { Difference } from '../../features/entity-history/difference';
import { formatNoun } from '../../format/number';
import { ExportMenu } from './export-menu';
import { ReplaySelected } from './replay-selected';
import classes from './selection-bar.module.css';

interface SelectionBarProps {
  events: readonly EventSummary[];
  /** Whether no more can be selected. */
  isFull: boolean;
  queriedAt: number;
  exporting: boolean;
  exportThese: (filter: EventSearch, format: ExportFormat) => void;
  clear: () => void;
}

/** What can be done with the selected events: replay or export exactly these, or compare two. */
export function SelectionBar(props: SelectionBarProps) {
  const { events, isFull, queriedAt, exporting, exportThese, clear } = props;
  const [opened, { open, close }] = useDisclosure(false);
  const [before, after, third] = events.toSorted((one, other) => one.seq - other.seq);
  if (before === undefined) return null;
  const seqs = events.map(({ seq }) => seq);
  const filter: EventSearch = { seq: seqs, system: 'shown' };
  const areTwo = after !== undefined && third === undefined;
  return (
    <section className={classes.bar} aria-label="Selection">
      <output>
        {formatNoun(events.length, 'event')} selected{isFull ? ', no more at once' : ''}
      </output>
      <ReplaySelected seqs={seqs} />
      <ExportMenu
        compact
        label="Export"
        filter={filter}
        queriedAt={queriedAt}
        rows={events}
        disabled={exporting}
        start={(format) => exportThese(filter, format)}
      />
      {areTwo && (
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
      {areTwo && (
        <Dialog title="What differs" opened={opened} close={close} size="lg">
          <dl className={classes.events}>
            <Compared name="Earlier" event={before} />
            <Compared name="Later" event={after} />
          </dl>
          <Difference key={`${before.id} ${after.id}`} event={after} previous={before} />
        </Dialog>
      )}
    </section>
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
        {event.entity} <bdi>{event.name}</bdi>, <ExactTime at={event.received_at} />
      </dd>
    </div>
  );
}
