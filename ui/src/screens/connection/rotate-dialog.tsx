import { ApiError } from '../../api/api-error';
import { ActionButton } from '../../components/action-button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { ErrorNote } from '../../components/error-note';
import type { SubscriptionDialogProps } from './pause-dialog';

const isSecondWebhookRefused = (error: unknown) =>
  error instanceof ApiError && error.code === 'second_webhook_refused';

/** Asks for a new key and secret; the way with a gap is offered only where the one without is refused. */
export function RotateDialog({ opened, mutation, close, done }: SubscriptionDialogProps) {
  const rotate = (action: 'rotate' | 'rotate by deleting first') =>
    mutation.mutate(action, { onSuccess: done });
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
        isSecondWebhookRefused(mutation.error) ? (
          <>
            <ErrorNote
              error={mutation.error}
              remedy="Alternatively, delete the old webhook first. That leaves a gap:"
            />
            <p>
              <strong>Events between deletion and registration are lost</strong>, and if Co-Pilot rejects the
              new webhook as well, nothing arrives until it accepts one.
            </p>
            <div>
              <ActionButton color="red" pending={false} action={() => rotate('rotate by deleting first')}>
                Delete old webhook first
              </ActionButton>
            </div>
          </>
        ) : undefined
      }
    >
      <p>
        Registers a second webhook with a new address and a new secret, then deletes the old one. The old
        address keeps working for one more minute. For targets, only Co-Pilot’s own signature changes, because
        it is created with the new secret.
      </p>
    </ConfirmDialog>
  );
}
