import { Button } from '@mantine/core';
import { IconTargetOff } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import type { DeliveryDetail } from '@contract/delivery';
import type { EventDetail } from '@contract/event';
import { EmptyNote } from '../../components/empty-note';
import { Panel } from '../../components/panel';
import { StateBadge } from '../../components/state-badge';
import { TimeLeft } from '../../components/time-ago';
import { DELIVERY_LABELS, TRIGGER_LABELS } from '../../labels/delivery-labels';
import { formatCount } from '../../format/number';
import { localizeTimes } from '../../format/exact';
import { AttemptTimeline } from './attempt-timeline';
import { DeliveryActions } from './delivery-actions';
import classes from './delivery-list.module.css';

/** The deliveries of an event. */
export function DeliveryList({ event: { deliveries } }: { event: EventDetail }) {
  return (
    <Panel title="Deliveries" flush aside={<Count deliveries={deliveries} />}>
      {deliveries.length === 0 ? (
        <EmptyNote title="No target received this event" icon={<IconTargetOff size={22} stroke={1.6} />}>
          <p>The event is stored. Add a target that receives this event type, then replay the event.</p>
          <Button renderRoot={(props) => <Link to="/targets/new" {...props} />}>Add a target</Button>
        </EmptyNote>
      ) : (
        <ul>
          {deliveries.map((delivery, at) => (
            <Row
              key={delivery.id}
              delivery={delivery}
              isSuperseded={deliveries.slice(at + 1).some((later) => later.target_id === delivery.target_id)}
            />
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** @param isSuperseded whether there is a later delivery of the event to the same target */
function Row({ delivery, isSuperseded }: { delivery: DeliveryDetail; isSuperseded: boolean }) {
  const row = useRef<HTMLLIElement>(null);
  const { state, note } = delivery;
  const isFinished = state === 'dead' || state === 'cancelled';
  return (
    <li ref={row} tabIndex={-1} className={classes.delivery}>
      <Head delivery={delivery} />
      {note !== null && <p className={classes.note}>{localizeTimes(note)}</p>}
      {delivery.blocks_lane && <p className={classes.note}>Later deliveries in its lane are blocked.</p>}
      <AttemptTimeline delivery={delivery} />
      {isFinished && !isSuperseded && (
        <DeliveryActions delivery={delivery} onDone={() => row.current?.focus()} />
      )}
    </li>
  );
}

function Count({ deliveries }: { deliveries: readonly DeliveryDetail[] }) {
  const done = deliveries.filter(({ state }) => state === 'succeeded').length;
  if (deliveries.length === 0) return null;
  return (
    <span className={classes.muted}>
      {formatCount(done)} of {formatCount(deliveries.length)} delivered
    </span>
  );
}

function Head({ delivery }: { delivery: DeliveryDetail }) {
  const { state, trigger, due_at: due } = delivery;
  const isQueued = due !== null && (state === 'retrying' || state === 'pending' || state === 'waiting');
  return (
    <div className={classes.head}>
      <Link to="/targets/$id" params={{ id: delivery.target_id }} className={classes.target}>
        {delivery.target_name}
      </Link>
      {trigger !== 'live' && <span className={classes.trigger}>{TRIGGER_LABELS[trigger]}</span>}
      {delivery.edited && <span className={classes.trigger}>Edited</span>}
      {delivery.out_of_order && (
        <span className={classes.trigger} title="Sent outside the target’s delivery order">
          Out of order
        </span>
      )}
      <StateBadge state={DELIVERY_LABELS[state]} />
      {isQueued && state === 'retrying' && (
        <span className={classes.due}>
          next attempt <TimeLeft at={due} />
        </span>
      )}
    </div>
  );
}
