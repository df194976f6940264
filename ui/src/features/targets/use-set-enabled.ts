import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Target } from '@contract/target';
import { editTarget, targetQuery } from '../../api/targets';
import { notifyAction, notifyUndoable } from '../../components/notify-action';
import { notifyFailure } from '../../components/notify-failure';
import { formatTime } from '../../format/time-range';

/** What withdraws the offers to enable targets again that were just disabled, by the id of the target. */
const withdrawals = new Map<string, () => void>();

/** Enables or disables a target; a notification undoes the latter, and offers what was missed before the former. */
export function useSetEnabled({ id, name, disabled, updated_at: updatedAt }: Target) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const set = useMutation({
    mutationFn: (enabled: boolean) => editTarget(id, { enabled }),
    onSuccess: async (changed, enabled) => {
      withdrawals.get(id)?.();
      withdrawals.delete(id);
      if (!enabled)
        withdrawals.set(
          id,
          notifyUndoable(`Disabled ${name}`, () => set.mutate(true)),
        );
      else {
        // An operator has changed it last when disabling it, or after that.
        const since = disabled?.at ?? updatedAt;
        const missed = { since, until: changed.updated_at, to: [id] };
        notifyAction(
          `Enabled ${name}. It missed what arrived since ${formatTime(since)}.`,
          'Replay it',
          () => void navigate({ to: '/replays/new', search: missed }),
        );
      }
      cache.setQueryData(targetQuery(id).queryKey, changed);
      await cache.invalidateQueries({ queryKey: ['targets'] });
    },
    onError: notifyFailure(`Could not update ${name}`),
  });
  return set;
}
