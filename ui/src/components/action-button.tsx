import { Button, Loader, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface ActionButtonProps extends ButtonProps {
  pending: boolean;
  action: () => void;
  children: ReactNode;
  title?: string;
  'aria-label'?: string;
}

/**
 * A button for an asynchronous action. While pending it ignores clicks; disabling it would lose the focus.
 */
export function ActionButton({ pending, action, leftSection, ...rest }: ActionButtonProps) {
  return (
    <Button
      {...rest}
      aria-disabled={pending || undefined}
      leftSection={pending ? <Loader size={14} color="currentColor" aria-hidden /> : leftSection}
      onClick={() => {
        if (!pending) action();
      }}
    />
  );
}
