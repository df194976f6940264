import type { Target } from '../../../../src/contract/target';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { useEnabled } from './use-enabled';

interface DisableDialogProps {
  target: Target;
  opened: boolean;
  close: () => void;
}

/** Asks before events pass a target by, and names the way that keeps them. */
export function DisableDialog({ target, opened, close }: DisableDialogProps) {
  const enabled = useEnabled(target);
  return (
    <ConfirmDialog
      title={`Disable ${target.name}?`}
      opened={opened}
      close={close}
      cancelLabel="Cancel"
      confirmLabel="Disable"
      isDestructive
      pending={enabled.isPending}
      error={enabled.error}
      confirm={() => enabled.mutate(false, { onSuccess: close })}
    >
      <p>
        While disabled, the target <strong>misses new events</strong>: they are stored but not delivered here
        unless you replay them. Deliveries created before are still sent.
      </p>
      <p>To queue events and send them later, pause the target instead.</p>
    </ConfirmDialog>
  );
}
