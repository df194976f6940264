import { useQuery } from '@tanstack/react-query';
import type { Attempt, DeliveryDetail } from '@contract/delivery';
import type { EventDetail } from '@contract/event';
import { targetsQuery } from '../../api/targets';
import { DownloadLink } from '../../components/download-link';
import { HeaderList } from '../../components/header-list';
import { ExactTime } from '../../components/time-ago';
import { formatMilliseconds } from '../../format/number';
import { outcomeLabel } from '../../labels/delivery-labels';
import classes from './attempt-exchange.module.css';

interface AttemptExchangeProps {
  event: EventDetail;
  delivery: DeliveryDetail;
  attempt: Attempt;
}

/** The request of an attempt, as far as it is known from what is stored, and its response. */
export function AttemptExchange({ event, delivery, attempt }: AttemptExchangeProps) {
  const { data: targets } = useQuery(targetsQuery);
  const url = targets?.find(({ id }) => id === delivery.target_id)?.url;
  return (
    <div className={classes.exchange}>
      <h4>Request</h4>
      <p className={classes.line}>
        <code>POST {url ?? delivery.target_name}</code>
      </p>
      <HeaderList headers={requestHeaders(event, delivery, attempt)} />
      <p className={classes.hint}>
        <SentBody delivery={delivery} attempt={attempt} /> Sent <ExactTime at={attempt.at} />. The address is
        the target’s current one; signatures and the target’s own headers are not stored.
      </p>
      <h4>Response</h4>
      <p className={classes.line}>
        {outcomeLabel(attempt.status, attempt.error)} after {formatMilliseconds(attempt.duration_ms)}
      </p>
      {attempt.excerpt === null || attempt.excerpt === '' ? (
        <p className={classes.hint}>No response body.</p>
      ) : (
        <pre className={classes.excerpt}>{attempt.excerpt}</pre>
      )}
    </div>
  );
}

function SentBody({
  delivery: { id, edited },
  attempt: { number, transform, error },
}: Omit<AttemptExchangeProps, 'event'>) {
  if (transform === null) return edited ? 'The body was edited.' : 'The body is the payload, unchanged.';
  if (error === 'transform_failed') return `Version ${transform} of the target’s expression failed.`;
  return (
    <>
      Version {transform} of the target’s expression made the body:{' '}
      <DownloadLink path={`/deliveries/${id}/body?attempt=${number}`} name={`${id}-${number}.body`}>
        Body as sent
      </DownloadLink>
      .
    </>
  );
}

/** The headers that Switchboard sets, without those that depend on secrets. */
function requestHeaders(
  event: EventDetail,
  delivery: DeliveryDetail,
  attempt: Attempt,
): (readonly [string, string])[] {
  const timestamp = Math.floor(Date.parse(attempt.at) / 1_000);
  return [
    attempt.transform === null
      ? ['content-type', event.content_type ?? 'application/octet-stream']
      : ['switchboard-transform', String(attempt.transform)],
    ['webhook-id', event.id],
    ['webhook-timestamp', String(timestamp)],
    ['switchboard-delivery', delivery.id],
    ['switchboard-attempt', String(attempt.number)],
    ['switchboard-trigger', delivery.trigger],
    ...(delivery.replay_id === null ? [] : [['switchboard-replay', delivery.replay_id] as const]),
  ];
}
