import { ApiError } from '../../api/api-error';
import { ActionButton } from '../../components/action-button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { ErrorNote } from '../../components/error-note';
import type { SubscriptionDialogProps } from './pause-dialog';

const refusesSecond = (error: unknown) =>
  error instanceof ApiError && error.code === 'second_webhook_refused';

/** Asks for a new key and secret; the way with a gap is offered only where the one without is refused. */
export function RotateDialog({ opened, act, close, done }: SubscriptionDialogProps) {
  const rotate = (wish: 'rotate' | 'rotate by deleting first') => act.mutate(wish, { onSuccess: done });
  return (
    <ConfirmDialog
      title="Rotate address and secret?"
      opened={opened}
      close={close}
      cancelLabel="Leave it"
      confirmLabel="Rotate"
      pending={act.isPending}
      error={act.error}
      confirm={() => rotate('rotate')}
      otherWay={
        refusesSecond(act.error) ? (
          <>
            <ErrorNote error={act.error} remedy="The other way is to delete it first, and has a gap:" />
            <p>
              <strong>What happens at Co-Pilot between the two is lost</strong>, and should it refuse the new
              webhook as well, nothing arrives until it takes one.
            </p>
            <div>
              <ActionButton color="red" pending={false} act={() => rotate('rotate by deleting first')}>
                Delete the old one first
              </ActionButton>
            </div>
          </>
        ) : undefined
      }
    >
      <p>
        A second webhook is registered with a new key in its address and a new secret; then the old one is
        deleted. Its key holds for a minute more, so that nothing on its way is lost. Targets notice nothing
        but Co-Pilot’s own signature, which is made with the new secret.
      </p>
    </ConfirmDialog>
  );
}
