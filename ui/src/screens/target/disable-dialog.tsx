import type { Target } from '../../../../src/contract/target';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { useEnabled } from './use-enabled';

interface SwitchOffDialogProps {
  target: Target;
  opened: boolean;
  close: () => void;
}

/** Asks before events pass a target by, and names the way that keeps them. */
export function SwitchOffDialog({ target, opened, close }: SwitchOffDialogProps) {
  const enabled = useEnabled(target);
  return (
    <ConfirmDialog
      title={`Switch ${target.name} off?`}
      opened={opened}
      close={close}
      keepWord="Leave it on"
      actWord="Switch it off"
      loses
      pending={enabled.isPending}
      error={enabled.error}
      act={() => enabled.mutate(false, { onSuccess: close })}
    >
      <p>
        New events then <strong>pass it by for good</strong>: they are stored, but not sent here later unless
        you replay them. What it took before still goes out.
      </p>
      <p>To hold events back and send them later, pause it instead.</p>
    </ConfirmDialog>
  );
}
