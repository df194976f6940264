import { QueryClient, QueryObserver } from '@tanstack/react-query';
import type { Delivery } from '../../../src/contract/delivery';
import type { LiveConnection } from '../../../ui/src/live/live-connection';
import { until } from '../../support/until';
import { syncQueryCache } from '../../../ui/src/live/sync-query-cache';

type Listener = (...message: unknown[]) => void;

/** A query cache with two events, kept up to date by messages. */
function openEvents() {
  const cache = new QueryClient();
  for (const id of ['evt_1', 'evt_2']) cache.setQueryData(['events', id], {});
  cache.setQueryData(['targets'], {});
  const listeners = new Map<string, Listener>();
  const on = (kind: string, listener: Listener) => {
    listeners.set(kind, listener);
    return () => listeners.delete(kind);
  };
  const live = { on, subscribe: () => () => undefined, state: 'live' } as unknown as LiveConnection;
  const stop = syncQueryCache(live, cache);
  const changed: Partial<Delivery>[] = [{ event_id: 'evt_1' }];
  return {
    cache,
    receive: (isComplete: boolean) => listeners.get('deliveries')!(changed, isComplete),
    receiveTargets: () => listeners.get('targets')!({ target_ids: ['tgt_1'] }),
    areTargetsStale: () => cache.getQueryState(['targets'])!.isInvalidated,
    isStale: (id: string) => cache.getQueryState(['events', id])!.isInvalidated,
    stop: () => {
      stop();
      cache.clear();
    },
  };
}

describe('the query cache', () => {
  it('reloads the events of changed deliveries', () => {
    const { receive, isStale, stop } = openEvents();
    receive(true);
    expect([isStale('evt_1'), isStale('evt_2')]).toEqual([true, false]);
    stop();
  });

  it('reloads every open event if the message does not contain all changed deliveries', () => {
    const { receive, isStale, stop } = openEvents();
    receive(false);
    expect([isStale('evt_1'), isStale('evt_2')]).toEqual([true, true]);
    stop();
  });

  it('loads a list again that was still being loaded when a delivery changed', async () => {
    const { cache, receive, stop } = openEvents();
    const responses: ((value: string) => void)[] = [];
    const queryFn = () => new Promise<string>((resolve) => responses.push(resolve));
    const list = new QueryObserver(cache, { queryKey: ['deliveries', 'causes'], queryFn });
    const unsubscribe = list.subscribe(() => undefined);
    receive(true);
    responses[0]!('before the change');
    await until('it is loaded again', () => responses.length === 2);
    responses[1]!('after the change');
    await until('it is up to date', () => list.getCurrentResult().data === 'after the change');
    unsubscribe();
    stop();
  });

  it('reloads the targets as soon as one is changed elsewhere', () => {
    const { receiveTargets, areTargetsStale, stop } = openEvents();
    expect(areTargetsStale()).toBe(false);
    receiveTargets();
    expect(areTargetsStale()).toBe(true);
    stop();
  });
});
