import { Link } from '@tanstack/react-router';
import { ConfirmDialog } from '../../components/confirm-dialog';
import type { SubscriptionMutation } from './use-subscription-action';

export interface SubscriptionDialogProps {
  opened: boolean;
  mutation: SubscriptionMutation;
  close: () => void;
  /** Called after a success. */
  done: () => void;
}

/** Confirms pausing at Co-Pilot, which loses events. */
export function PauseDialog({ opened, mutation, close, done }: SubscriptionDialogProps) {
  return (
    <ConfirmDialog
      title="Pause at Co-Pilot?"
      opened={opened}
      close={close}
      cancelLabel="Cancel"
      confirmLabel="Pause at Co-Pilot"
      isDestructive
      pending={mutation.isPending}
      error={mutation.error}
      confirm={() => mutation.mutate('pause', { onSuccess: done })}
    >
      <p>
        Co&#8209;Pilot stops sending notifications.{' '}
        <strong>Events during the pause are lost permanently</strong>: Co&#8209;Pilot does not send them
        afterwards.
      </p>
      <p>
        To hold events back without losing them, <Link to="/targets">pause the targets</Link> instead: their
        deliveries are queued and sent when you resume.
      </p>
    </ConfirmDialog>
  );
}
