import { ApiError } from '../../api/api-error';
import { ActionButton } from '../../components/action-button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { ErrorNote } from '../../components/error-note';
import type { SubscriptionDialogProps } from './pause-dialog';

const isSecondWebhookRejected = (error: unknown) =>
  error instanceof ApiError && error.code === 'second_webhook_rejected';

/** Confirms a rotation. Deleting the old webhook first is offered only if Co-Pilot rejects a second one. */
export function RotateDialog({ opened, mutation, close, done }: SubscriptionDialogProps) {
  const rotate = (action: 'rotate' | 'rotate_delete_first') => mutation.mutate(action, { onSuccess: done });
  return (
    <ConfirmDialog
      title="Rotate address and secret?"
      opened={opened}
      close={close}
      cancelLabel="Cancel"
      confirmLabel="Rotate"
      pending={mutation.isPending}
      error={mutation.error}
      confirm={() => rotate('rotate')}
      alternative={
        isSecondWebhookRejected(mutation.error) ? (
          <>
            <ErrorNote
              error={mutation.error}
              remedy="Alternatively, delete the old webhook first. That leaves a gap:"
            />
            <p>
              <strong>Events between deletion and registration are lost</strong>, and if Co&#8209;Pilot
              rejects the new webhook as well, nothing arrives until it accepts one.
            </p>
            <div>
              <ActionButton color="red" pending={false} action={() => rotate('rotate_delete_first')}>
                Delete old webhook first
              </ActionButton>
            </div>
          </>
        ) : undefined
      }
    >
      <p>
        Registers a second webhook with a new address and a new secret, then deletes the old one. The old
        address keeps working for one more minute. For targets, only Co&#8209;Pilot’s own signature changes,
        because it is created with the new secret.
      </p>
    </ConfirmDialog>
  );
}
