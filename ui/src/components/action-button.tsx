import { Loader } from '@mantine/core';
import { GuardedButton, type GuardedButtonProps } from './guarded-button';

interface ActionButtonProps extends Omit<GuardedButtonProps, 'onClick'> {
  pending: boolean;
  action: () => void;
}

/**
 * A button for an asynchronous action. While pending it ignores clicks; disabling it would lose the focus.
 */
export function ActionButton({ pending, action, leftSection, ...rest }: ActionButtonProps) {
  return (
    <GuardedButton
      {...rest}
      aria-disabled={pending || undefined}
      leftSection={pending ? <Loader size={14} color="currentColor" aria-hidden /> : leftSection}
      onClick={() => {
        if (!pending) action();
      }}
    />
  );
}
