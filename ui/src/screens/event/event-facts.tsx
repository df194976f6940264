import type { EventDetail } from '@contract/event';
import { Copyable } from '../../components/copyable';
import { Fact, Facts } from '../../components/facts';
import { Mono } from '../../components/mono';
import { ExactTime } from '../../components/time-ago';
import { formatBytes, formatCount } from '../../format/number';
import classes from './event-screen.module.css';

/** The metadata of an event, with its verification. */
export function EventFacts({ event }: { event: EventDetail }) {
  return (
    <Facts>
      <Fact name="Event id">
        <Copyable value={event.id} label="Copy the event id" />
      </Fact>
      <Fact name="Sequence">{formatCount(event.seq)}</Fact>
      <Fact name="Occurred">{event.occurred_at === null ? null : <ExactTime at={event.occurred_at} />}</Fact>
      <Fact name="Received">
        <ExactTime at={event.received_at} />
      </Fact>
      <Fact name="Verified">
        {event.repair_id !== null ? (
          <>
            synthetic event of the repair <Mono>{event.repair_id}</Mono>, not signed by Co-Pilot
          </>
        ) : event.verification === null ? (
          'system event, created by Switchboard and not signed'
        ) : (
          <>
            HMAC-SHA256 in <Mono>{event.verification.header}</Mono>
            <span className={classes.verification}>
              Header detected automatically; its signature matches the body.
            </span>
          </>
        )}
      </Fact>
      <Fact name="Webhook id">{event.webhook_id === null ? null : <Mono>{event.webhook_id}</Mono>}</Fact>
      <Fact name="Size">{formatBytes(event.size_bytes)}</Fact>
      <Fact name="Content type">
        {event.content_type === null ? null : <Mono>{event.content_type}</Mono>}
      </Fact>
      {event.erased_at !== null && (
        <Fact name="Erased">
          <ExactTime at={event.erased_at} />
        </Fact>
      )}
      {event.erased_at === null && event.unreadable !== null && (
        <Fact name="Unreadable">{event.unreadable}</Fact>
      )}
    </Facts>
  );
}
