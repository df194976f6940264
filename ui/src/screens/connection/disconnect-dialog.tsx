import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../../api/api-error';
import { connectionQuery, disconnect } from '../../api/connection';
import { subscriptionQuery } from '../../api/subscription';
import { ActionButton } from '../../components/action-button';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { ErrorNote } from '../../components/error-note';

interface DisconnectDialogProps {
  opened: boolean;
  close: () => void;
  onClosed: () => void;
  /** Called after a success. */
  onDisconnected: (isWebhookLeft: boolean) => void;
}

const isWebhookLeft = (error: unknown) => error instanceof ApiError && error.code === 'webhook_not_deleted';

/** Confirms disconnecting. Forcing it is offered only if Co-Pilot did not delete the webhook. */
export function DisconnectDialog({ opened, close, onClosed, onDisconnected }: DisconnectDialogProps) {
  const cache = useQueryClient();
  const mutation = useMutation({
    mutationFn: (force: boolean) => disconnect({ force }),
    onSuccess: async (connection, force) => {
      cache.setQueryData(connectionQuery.queryKey, connection);
      onDisconnected(force);
      await cache.invalidateQueries({ queryKey: subscriptionQuery.queryKey });
    },
  });
  return (
    <ConfirmDialog
      title="Disconnect from Co-Pilot?"
      opened={opened}
      close={() => {
        if (!mutation.isPending) mutation.reset();
        close();
      }}
      onClosed={onClosed}
      cancelLabel="Cancel"
      confirmLabel="Disconnect"
      isDestructive
      pending={mutation.isPending}
      error={mutation.error}
      confirm={() => mutation.mutate(false)}
      alternative={
        isWebhookLeft(mutation.error) ? (
          <>
            <ErrorNote error={mutation.error} remedy="Nothing was deleted. Try again later, or:" />
            <p>
              Delete the tokens anyway. The webhook then remains at Co&#8209;Pilot, which keeps sending to it
              until you delete it there, in the developer panel.
            </p>
            <div>
              <ActionButton color="red" pending={false} action={() => mutation.mutate(true)}>
                Delete tokens anyway
              </ActionButton>
            </div>
          </>
        ) : undefined
      }
    >
      <p>
        The webhook is deleted at Co&#8209;Pilot and the tokens are deleted here.{' '}
        <strong>Events are lost until you reconnect</strong>: Co&#8209;Pilot does not send them later.
      </p>
      <p>Stored events, targets and queued deliveries are not affected.</p>
    </ConfirmDialog>
  );
}
