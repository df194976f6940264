import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Target } from '@contract/target';
import { deleteTarget, targetQuery } from '../../api/targets';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { formatNoun } from '../../format/number';

interface DeleteDialogProps {
  target: Target;
  opened: boolean;
  close: () => void;
}

/** Confirms deleting a target and explains the consequences. */
export function DeleteDialog({ target, opened, close }: DeleteDialogProps) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => deleteTarget(target.id),
    onSuccess: async () => {
      await navigate({ to: '/targets', replace: true });
      cache.removeQueries({ queryKey: targetQuery(target.id).queryKey });
      await cache.invalidateQueries({ queryKey: ['targets'] });
    },
  });
  const { open, dead } = target.backlog;
  return (
    <ConfirmDialog
      title={`Delete ${target.name}?`}
      opened={opened}
      close={close}
      cancelLabel="Cancel"
      confirmLabel="Delete target"
      isDestructive
      pending={remove.isPending}
      error={remove.error}
      confirm={() => remove.mutate()}
    >
      <p>
        New events are no longer delivered to {target.url ?? target.name}, and its secret is deleted.{' '}
        {open > 0 && `${formatNoun(open, 'queued delivery is', 'queued deliveries are')} cancelled. `}
        {dead > 0 && `${formatNoun(dead, 'dead letter')} can no longer be retried, and count as cancelled. `}
        Stored events are kept and can be replayed to other targets.
      </p>
    </ConfirmDialog>
  );
}
