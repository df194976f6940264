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
      title={`Switch ${target.name} off?`}
      opened={opened}
      close={close}
      cancelLabel="Leave it on"
      confirmLabel="Switch it off"
      isDestructive
      pending={enabled.isPending}
      error={enabled.error}
      confirm={() => enabled.mutate(false, { onSuccess: close })}
    >
      <p>
        New events then <strong>pass it by for good</strong>: they are stored, but not sent here later unless
        you replay them. What it took before still goes out.
      </p>
      <p>To hold events back and send them later, pause it instead.</p>
    </ConfirmDialog>
  );
}
