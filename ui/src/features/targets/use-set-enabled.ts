import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Target } from '@contract/target';
import { editTarget, targetQuery } from '../../api/targets';
import { notifyAction, notifyUndoable } from '../../components/notify-action';
import { notifyFailure } from '../../components/notify-failure';
import { formatTime } from '../../format/time-range';

/** Enables or disables a target; a notification undoes the latter, and offers what was missed before the former. */
export function useSetEnabled({ id, name, disabled, updated_at: updatedAt }: Target) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const set = useMutation({
    mutationFn: (enabled: boolean) => editTarget(id, { enabled }),
    onSuccess: async (changed, enabled) => {
      const undoId = `disabled ${id}`;
      if (!enabled) notifyUndoable(`Disabled ${name}`, () => set.mutate(true), undoId);
      else {
        notifications.hide(undoId);
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
