import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useLive } from '../../live/live-context';

/** Ends the login of this page by `end`, and leads to where one signs in. */
export function useSignOut(end: () => Promise<void>) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const live = useLive();
  return useMutation({
    mutationFn: end,
    // Or the end of the socket would be taken for the end of a login that somebody wants to keep.
    onMutate: () => live.close(),
    onError: () => live.open(),
    onSuccess: async () => {
      await navigate({ to: '/sign-in' });
      cache.clear();
    },
  });
}
