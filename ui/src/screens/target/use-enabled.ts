import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Target } from '../../../../src/contract/target';
import { editTarget, targetQuery } from '../../api/targets';
import { notifyFailure } from '../../components/notify-failure';

/** Whether a target takes new events, switched. */
export function useEnabled({ id, name }: Target) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (enabled: boolean) => editTarget(id, { enabled }),
    onSuccess: async (changed) => {
      cache.setQueryData(targetQuery(id).queryKey, changed);
      await cache.invalidateQueries({ queryKey: ['targets'] });
    },
    onError: notifyFailure(`${name} was not updated`),
  });
}
