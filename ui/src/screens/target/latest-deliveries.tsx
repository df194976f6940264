import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Delivery } from '@contract/delivery';
import { describeTimeRange, type TimeRange } from '../../format/time-range';
import type { Target } from '@contract/target';
import { deliveriesOfTargetQuery, type TargetDeliveryFilter } from '../../api/deliveries';
import { EmptyNote } from '../../components/empty-note';
import line from '../../components/line.module.css';
import { PagedList } from '../../components/paged-list';
import { Panel } from '../../components/panel';
import { StateBadge } from '../../components/state-badge';
import { TimeAgo } from '../../components/time-ago';
import { DELIVERY_LABELS, outcomeLabel } from '../../labels/delivery-labels';
import { formatNoun } from '../../format/number';
import { DeliveryFilterBar } from './delivery-filter-bar';
import classes from './latest-deliveries.module.css';

interface LatestDeliveriesProps {
  target: Target;
  filter: TargetDeliveryFilter;
  /** When they were created; empty for any time. */
  range: TimeRange;
}

/** The latest deliveries of a target that match the filter. */
export function LatestDeliveries({ target, filter, range }: LatestDeliveriesProps) {
  const filtered = Object.keys(filter).length > 0 || Object.keys(range).length > 0;
  return (
    <Panel
      title="Latest deliveries"
      flush
      aside={<span className={classes.range}>{describeTimeRange(range)}</span>}
    >
      <DeliveryFilterBar key={filter.type ?? ''} target={target.id} filter={filter} />
      <PagedList
        query={useInfiniteQuery(deliveriesOfTargetQuery(target.id, filter, range))}
        skeletonRows={5}
        empty={filtered ? <NoMatches target={target} error={filter.error} /> : <NoneYet />}
      >
        {(deliveries) => (
          <ul>
            {deliveries.map((delivery) => (
              <Row key={delivery.id} delivery={delivery} />
            ))}
          </ul>
        )}
      </PagedList>
    </Panel>
  );
}

const NoneYet = () => (
  <EmptyNote title="No deliveries yet">
    <p>The next event for this target appears here. Send a test to check whether the target responds.</p>
  </EmptyNote>
);

const NoMatches = ({ target, error }: { target: Target; error: string | undefined }) => (
  <EmptyNote title="No deliveries match">
    <p>
      {error !== undefined &&
        'Deliveries with this error have since succeeded or failed with a different error. '}
      Choose another status, type or time, or show all deliveries.
    </p>
    <Button renderRoot={(props) => <Link to="/targets/$id" params={{ id: target.id }} replace {...props} />}>
      Show all
    </Button>
  </EmptyNote>
);

function Row({ delivery }: { delivery: Delivery }) {
  const { last_status: status, last_error: error } = delivery;
  return (
    <li>
      <Link to="/events/$id" params={{ id: delivery.event_id }} className={`${line.line} ${classes.row}`}>
        <span className={`${line.mono} ${classes.type}`}>{delivery.event_type}</span>
        <span className={classes.entity} title={delivery.entity ?? undefined}>
          {delivery.entity_name ?? delivery.entity ?? '–'}
        </span>
        <StateBadge state={DELIVERY_LABELS[delivery.state]} />
        <span className={classes.outcome} title={outcomeLabel(status, error)}>
          {delivery.attempt_count > 0 && outcomeLabel(status, error)}
          {delivery.attempt_count > 1 && `, ${formatNoun(delivery.attempt_count, 'attempt')}`}
        </span>
        <TimeAgo at={delivery.created_at} className={`${line.time} ${classes.time}`} />
      </Link>
    </li>
  );
}
