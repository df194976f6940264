import { IconPower } from '@tabler/icons-react';
import type { Target } from '@contract/target';
import { ActionButton } from '../../components/action-button';
import { useSetEnabled } from './use-set-enabled';

/** Enables a target that is disabled. */
export function EnableButton({ target }: { target: Target }) {
  const setEnabled = useSetEnabled(target);
  return (
    <ActionButton
      leftSection={<IconPower size={14} aria-hidden />}
      pending={setEnabled.isPending}
      action={() => setEnabled.mutate(true)}
    >
      Enable
    </ActionButton>
  );
}
