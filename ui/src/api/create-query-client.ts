import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, isSignedOut } from './api-error';

/** The query cache of the page. `signedOut` is called when any request fails with 401. */
export function createQueryClient(signedOut: () => void): QueryClient {
  const onError = (error: unknown) => {
    if (isSignedOut(error)) signedOut();
  };
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
