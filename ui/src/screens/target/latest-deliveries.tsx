import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Delivery } from '../../../../src/contract/delivery';
import type { Target } from '../../../../src/contract/target';
import { deliveriesOfTargetQuery, type TargetDeliveryFilter } from '../../api/deliveries';
import { EmptyNote } from '../../components/empty-note';
import { ErrorNote } from '../../components/error-note';
import { LoadingRows } from '../../components/loading-rows';
import { Panel } from '../../components/panel';
import { StateWord } from '../../components/state-word';
import { TimeAgo } from '../../components/time-ago';
import { DELIVERY_WORDS, outcomeOf } from '../../text/delivery-words';
import { formatNoun } from '../../text/format-number';
import { DeliveryFilterBar } from './delivery-filter-bar';
import classes from './latest-deliveries.module.css';

/** What went to a target lately, or what of it the filter leaves. */
export function LatestDeliveries({ target, filter }: { target: Target; filter: TargetDeliveryFilter }) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    deliveriesOfTargetQuery(target.id, filter),
  );
  const filtered = Object.keys(filter).length > 0;
  const deliveries = data?.pages.flatMap((page) => page.data);
  return (
    <Panel title="Latest deliveries" flush>
      <DeliveryFilterBar key={filter.type ?? ''} target={target.id} filter={filter} />
      {deliveries === undefined && error === null && <LoadingRows count={5} />}
      {deliveries === undefined && error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
      {deliveries?.length === 0 && filtered && (
        <EmptyNote title="No delivery fits">
          <p>Choose another state or type, or show all of them again.</p>
          <Button
            renderRoot={(props) => (
              <Link to="/targets/$id" params={{ id: target.id }} search={{}} replace {...props} />
            )}
          >
            Show all
          </Button>
        </EmptyNote>
      )}
      {deliveries?.length === 0 && !filtered && (
        <EmptyNote title="Nothing went here yet">
          <p>
            The next event that this target takes will appear here. A test shows at once whether the target
            answers.
          </p>
        </EmptyNote>
      )}
      <ul>
        {deliveries?.map((delivery) => (
          <Row key={delivery.id} delivery={delivery} />
        ))}
      </ul>
      {hasNextPage && (
        <div className={classes.more}>
          <Button loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show older
          </Button>
        </div>
      )}
    </Panel>
  );
}

function Row({ delivery }: { delivery: Delivery }) {
  const { last_status: status, last_error: error } = delivery;
  return (
    <li>
      <Link to="/events/$id" params={{ id: delivery.event_id }} className={classes.row}>
        <span className={classes.type}>{delivery.event_type}</span>
        <span className={classes.entity}>{delivery.entity ?? '–'}</span>
        <StateWord words={DELIVERY_WORDS[delivery.state]} />
        <span className={classes.outcome} title={outcomeOf(status, error)}>
          {delivery.attempt_count > 0 && outcomeOf(status, error)}
          {delivery.attempt_count > 1 && `, ${formatNoun(delivery.attempt_count, 'try', 'tries')}`}
        </span>
        <TimeAgo at={delivery.created_at} className={classes.time} />
      </Link>
    </li>
  );
}
