import { useQueryClient, type Query } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

const POLL_MS = 15;
/**
 * Data that arrives may start another query once it is rendered. Polls are counted, not time: after a stall a timer may
 * run before what the page has to do.
 */
const QUIET_POLLS = 3;
/** After this time placeholders are shown, and may move when the data arrives. */
const LIMIT_MS = 3_000;

/** A first, not yet failed request, unless the query says that it may be slow. */
const isFirstRequest = ({ meta, state: { status, fetchStatus, fetchFailureCount } }: Query) =>
  meta?.['mayBeSlow'] !== true &&
  status === 'pending' &&
  fetchStatus === 'fetching' &&
  fetchFailureCount === 0;

/** Whether the data with which a screen opens has arrived. It stays true. */
export function useFirstData(): boolean {
  const cache = useQueryClient();
  const [arrived, setArrived] = useState(false);
  useEffect(() => {
    const limit = performance.now() + LIMIT_MS;
    let quietPolls = 0;
    const poll = () => {
      quietPolls = cache.isFetching({ predicate: isFirstRequest }) === 0 ? quietPolls + 1 : 0;
      if (quietPolls === QUIET_POLLS || performance.now() > limit) setArrived(true);
      else timer = setTimeout(poll, POLL_MS);
    };
    let timer = setTimeout(poll, POLL_MS);
    return () => clearTimeout(timer);
  }, [cache]);
  return arrived;
}
