import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { replayQuery, startReplay } from '../../api/replays';

/** Starts a replay and opens its screen. @param replace whether that takes the place of this screen in the history */
export function useStartReplay({ replace = false } = {}) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: startReplay,
    onSuccess: async (replay) => {
      cache.setQueryData(replayQuery(replay.id).queryKey, replay);
      await cache.invalidateQueries({ queryKey: ['replays'] });
      await navigate({ to: '/replays/$id', params: { id: replay.id }, replace, ignoreBlocker: true });
    },
  });
}
