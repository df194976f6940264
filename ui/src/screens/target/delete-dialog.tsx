import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Target } from '../../../../src/contract/target';
import { deleteTarget, targetQuery } from '../../api/targets';
import { Dialog } from '../../components/dialog';
import { ErrorNote } from '../../components/error-note';
import { formatNoun } from '../../text/format-number';

interface DeleteDialogProps {
  target: Target;
  opened: boolean;
  close: () => void;
}

/** Asks once, and says what will be lost and what will stay. */
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
  const { open } = target.backlog;
  return (
    <Dialog opened={opened} close={close} title={`Delete ${target.name}?`}>
      <p>
        New events no longer go to {target.url}, and its secret is forgotten.{' '}
        {open > 0 &&
          `${formatNoun(open, 'delivery that is open is', 'deliveries that are open are')} cancelled. `}
        Stored events stay and can be replayed to other targets.
      </p>
      {remove.error !== null && <ErrorNote error={remove.error} />}
      <Group justify="flex-end" mt="lg">
        <Button onClick={close} data-autofocus>
          Keep it
        </Button>
        <Button variant="filled" color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
          Delete the target
        </Button>
      </Group>
    </Dialog>
  );
}
