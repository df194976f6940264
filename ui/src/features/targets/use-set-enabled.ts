import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Target } from '@contract/target';
import { editTarget, targetQuery } from '../../api/targets';
import { notifyUndoable } from '../../components/notify-undoable';
import { notifyFailure } from '../../components/notify-failure';

/** Enables or disables a target; a notification undoes the latter. */
export function useSetEnabled({ id, name }: Target) {
  const cache = useQueryClient();
  const set = useMutation({
    mutationFn: (enabled: boolean) => editTarget(id, { enabled }),
    onSuccess: async (changed, enabled) => {
      if (!enabled) notifyUndoable(`Disabled ${name}`, () => set.mutate(true));
      cache.setQueryData(targetQuery(id).queryKey, changed);
      await cache.invalidateQueries({ queryKey: ['targets'] });
    },
    onError: notifyFailure(`Could not update ${name}`),
  });
  return set;
}
