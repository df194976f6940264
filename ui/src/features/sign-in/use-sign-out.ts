import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useLive } from '../../live/live-context';

/** Ends the session by `end` and opens the sign-in screen. */
export function useSignOut(end: () => Promise<void>) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const live = useLive();
  return useMutation({
    mutationFn: end,
    // Otherwise the closed socket would be taken for an expired session.
    onMutate: () => live.close(),
    onError: () => live.open(),
    onSuccess: async () => {
      await navigate({ to: '/sign-in' });
      cache.clear();
    },
  });
}
