import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Target } from '@contract/target';
import { editTarget, targetQuery } from '../../api/targets';
import { notifyFailure } from '../../components/notify-failure';

/** Enables or disables a target. */
export function useSetEnabled({ id, name }: Target) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (enabled: boolean) => editTarget(id, { enabled }),
    onSuccess: async (changed) => {
      cache.setQueryData(targetQuery(id).queryKey, changed);
      await cache.invalidateQueries({ queryKey: ['targets'] });
    },
    onError: notifyFailure(`Could not update ${name}`),
  });
}
