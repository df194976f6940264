import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { sessionExpiry } from '../../api/session-expiry';
import { useLive } from '../../live/live-context';

/** Ends the session by `end` and opens the sign-in screen. */
export function useSignOut(end: () => Promise<void>) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const live = useLive();
  return useMutation({
    mutationFn: end,
    onMutate: () => {
      sessionExpiry.setEnding(true);
      live.close();
    },
    onError: () => live.open(),
    onSuccess: async () => {
      await navigate({ to: '/sign-in' });
      cache.clear();
    },
    onSettled: () => sessionExpiry.setEnding(false),
  });
}
