import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import type { DeliveryDetail } from '@contract/delivery';
import type { EventDetail } from '@contract/event';
import { EventLinks } from '../../components/event-links';
import { StateBadge } from '../../components/state-badge';
import { TimeAgo } from '../../components/time-ago';
import { localizeTimes } from '../../format/exact';
import { DELIVERY_LABELS, TRIGGER_LABELS } from '../../labels/delivery-labels';
import { AttemptTimeline } from './attempt-timeline';
import { DeliveryActions } from './delivery-actions';
import classes from './delivery-list.module.css';

interface DeliveryRunProps {
  event: EventDetail;
  delivery: DeliveryDetail;
  /** Whether it is the newest delivery of the event to its target; only that one can be retried. */
  isNewest: boolean;
  isOnly: boolean;
  whyQueued: string | undefined;
}

/** Delivered at once: there is no more to say than in one line. */
export const isPlain = ({
  state,
  attempts,
  note,
  edited,
  out_of_order: outOfOrder,
}: DeliveryDetail): boolean =>
  state === 'succeeded' && attempts.length === 1 && note === null && !edited && !outOfOrder;

/** One delivery: what triggered it, its state with the reason, and its attempts. */
export function DeliveryRun({ event, delivery, isNewest, isOnly, whyQueued }: DeliveryRunProps) {
  const row = useRef<HTMLLIElement>(null);
  const { state, note } = delivery;
  const canRetry = isNewest && (state === 'dead' || state === 'cancelled') && event.erased_at === null;
  return (
    <li ref={row} tabIndex={-1} className={classes.run} data-plain={isPlain(delivery) || undefined}>
      <Head delivery={delivery} isOnly={isOnly} />
      {note !== null && <p className={classes.note}>{localizeTimes(note)}</p>}
      {whyQueued !== undefined && (
        <p className={classes.note}>
          <EventLinks text={localizeTimes(whyQueued)} />
        </p>
      )}
      {delivery.blocks_lane && <p className={classes.note}>Later deliveries in its lane are blocked.</p>}
      <AttemptTimeline event={event} delivery={delivery} />
      {canRetry && <DeliveryActions delivery={delivery} onDone={() => row.current?.focus()} />}
    </li>
  );
}

function Head({ delivery, isOnly }: Pick<DeliveryRunProps, 'delivery' | 'isOnly'>) {
  const { trigger, replay_id: replayId } = delivery;
  // The usual one needs no name unless there are others.
  const isNamed = trigger !== 'live' || !isOnly;
  return (
    <div className={classes.head}>
      <StateBadge state={DELIVERY_LABELS[delivery.state]} />
      {replayId === null ? (
        isNamed && <span className={classes.tag}>{TRIGGER_LABELS[trigger]}</span>
      ) : (
        <Link to="/replays/$id" params={{ id: replayId }} className={classes.tag}>
          {TRIGGER_LABELS[trigger]}
        </Link>
      )}
      {delivery.edited && <span className={classes.tag}>Edited</span>}
      {delivery.out_of_order && (
        <span className={classes.tag} title="Sent outside the target’s delivery order">
          Out of order
        </span>
      )}
      <span className={classes.created}>
        <TimeAgo at={delivery.created_at} />
      </span>
    </div>
  );
}
