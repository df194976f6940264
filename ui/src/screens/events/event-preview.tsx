import { ActionIcon, Button } from '@mantine/core';
import { IconExternalLink, IconGitCompare, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { EventSummary } from '@contract/event';
import { eventBodyQuery, eventQuery } from '../../api/events';
import { PendingData } from '../../components/pending-data';
import { StateBadge } from '../../components/state-badge';
import { ExactTime } from '../../components/time-ago';
import { DeliveryList } from '../../features/event-deliveries/delivery-list';
import { eventLabel } from '../../labels/delivery-labels';
import { formatBytes } from '../../format/number';
import { formatJsonText } from '../../payload/format-json-text';
import { readPayload } from '../../payload/payload';
import classes from './event-preview.module.css';

/** Larger payloads are shown on the screen of the event, which can fold them. */
const MAX_SHOWN_BYTES = 200_000;

interface EventPreviewProps {
  event: EventSummary;
  /** Whether the event is chosen. */
  marked: boolean;
  toggleMark: () => void;
  close: () => void;
}

/** An event beside the list: its payload and its deliveries. */
export function EventPreview({ event, marked, toggleMark, close }: EventPreviewProps) {
  const { id, type, entity, name, received_at: at, size_bytes: size } = event;
  const detail = useQuery(eventQuery(id));
  return (
    <aside className={classes.preview} aria-label="Selected event">
      <div className={classes.head}>
        <div className={classes.title}>
          <h2 className={classes.type}>{type}</h2>
          <StateBadge state={eventLabel(event)} />
          <ActionIcon
            className={classes.close}
            aria-label="Close the selected event"
            title="Close (Esc)"
            onClick={close}
          >
            <IconX size={16} aria-hidden />
          </ActionIcon>
        </div>
        <p className={classes.facts}>
          {entity} <bdi>{name}</bdi> · <ExactTime at={at} />
        </p>
        <div className={classes.actions}>
          <Button
            size="compact-sm"
            leftSection={<IconExternalLink size={14} aria-hidden />}
            renderRoot={(props) => (
              <Link to="/events/$id" params={{ id }} state={{ cameFrom: '/events' }} {...props} />
            )}
          >
            Open event
          </Button>
          <Button
            size="compact-sm"
            aria-pressed={marked}
            title="Select it to replay, export or compare it with others (x)"
            leftSection={<IconGitCompare size={14} aria-hidden />}
            onClick={toggleMark}
          >
            {marked ? 'Selected' : 'Select'}
          </Button>
        </div>
      </div>
      <PendingData query={detail} rows={3} />
      {detail.data !== undefined && <DeliveryList event={detail.data} />}
      <section className={classes.payload} aria-label="Payload">
        <h3>Payload</h3>
        {size > MAX_SHOWN_BYTES ? (
          <p>{formatBytes(size)}. Open the event to see it.</p>
        ) : (
          <PayloadText id={id} />
        )}
      </section>
    </aside>
  );
}

function PayloadText({ id }: { id: string }) {
  const body = useQuery(eventBodyQuery(id));
  const text = useMemo(() => {
    if (body.data === undefined) return null;
    const payload = readPayload(body.data);
    if (payload.kind === 'bytes') return payload.preview;
    return payload.kind === 'json' ? formatJsonText(payload.text) : payload.text;
  }, [body.data]);
  if (text === null) return <PendingData query={body} rows={4} />;
  return <pre className={classes.text}>{text.trim()}</pre>;
}
