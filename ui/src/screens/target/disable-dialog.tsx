import type { Target } from '@contract/target';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { useSetEnabled } from '../../features/targets/use-set-enabled';

interface DisableDialogProps {
  target: Target;
  opened: boolean;
  close: () => void;
}

/** Confirms disabling a target, which then misses events. */
export function DisableDialog({ target, opened, close }: DisableDialogProps) {
  const setEnabled = useSetEnabled(target);
  return (
    <ConfirmDialog
      title={`Disable ${target.name}?`}
      opened={opened}
      close={close}
      cancelLabel="Cancel"
      confirmLabel="Disable"
      isDestructive
      pending={setEnabled.isPending}
      error={setEnabled.error}
      confirm={() => setEnabled.mutate(false, { onSuccess: close })}
    >
      <p>
        <strong>Events that arrive while it is disabled are never sent</strong> to it, unless you replay them.
        Deliveries created before are still sent.
      </p>
      <p>To queue events and send them later, pause the target instead.</p>
    </ConfirmDialog>
  );
}
