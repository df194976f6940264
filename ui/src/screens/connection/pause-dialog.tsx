import { Link } from '@tanstack/react-router';
import { ConfirmDialog } from '../../components/confirm-dialog';
import type { SubscriptionAct } from './use-subscription-action';

export interface SubscriptionDialogProps {
  opened: boolean;
  act: SubscriptionAct;
  close: () => void;
  /** It worked. */
  done: () => void;
}

/** Asks before events get lost, and names the way that loses none. */
export function PauseDialog({ opened, act, close, done }: SubscriptionDialogProps) {
  return (
    <ConfirmDialog
      title="Pause at Co-Pilot?"
      opened={opened}
      close={close}
      cancelLabel="Let it run"
      confirmLabel="Pause at Co-Pilot"
      isDestructive
      pending={act.isPending}
      error={act.error}
      confirm={() => act.mutate('pause', { onSuccess: done })}
    >
      <p>
        Co-Pilot then sends nothing at all. <strong>What happens meanwhile is lost for good</strong>: it keeps
        nothing for later, and sends nothing after.
      </p>
      <p>
        To hold events back without losing any, <Link to="/targets">pause the targets</Link> instead: their
        deliveries gather here and go out when you resume.
      </p>
    </ConfirmDialog>
  );
}
