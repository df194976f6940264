import { MutationCache, onlineManager, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, isSignedOut } from './api-error';

/** The query cache of the page. `signedOut` is called when any request fails with 401. */
export function createQueryClient(signedOut: () => void): QueryClient {
  const onError = (error: unknown) => {
    if (isSignedOut(error)) signedOut();
  };
  // Without a network the daemon may still respond, and what a request waits for would be sent much later.
  onlineManager.setEventListener(() => undefined);
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (count, error) => error instanceof ApiError && error.isTransient && count < 3,
      },
    },
  });
}
