import { Button, Loader, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface ActionButtonProps extends ButtonProps {
  pending: boolean;
  action: () => void;
  children: ReactNode;
  title?: string;
  'aria-label'?: string;
}

/** A button whose act takes a while. Meanwhile it is not disabled, which would lose the focus: it just does nothing. */
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
