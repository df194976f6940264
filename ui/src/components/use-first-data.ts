import { useQueryClient, type Query } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

/** Data that arrives may start another query within this time. */
const QUIET_MS = 40;
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
    const finish = () => setArrived(true);
    const limit = setTimeout(finish, LIMIT_MS);
    let quiet: ReturnType<typeof setTimeout> | undefined;
    const check = () => {
      clearTimeout(quiet);
      if (cache.isFetching({ predicate: isFirstRequest }) === 0) quiet = setTimeout(finish, QUIET_MS);
    };
    check();
    const stop = cache.getQueryCache().subscribe(check);
    return () => {
      stop();
      clearTimeout(quiet);
      clearTimeout(limit);
    };
  }, [cache]);
  return arrived;
}
