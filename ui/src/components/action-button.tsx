import { Loader, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { GuardedButton } from './guarded-button';
import type { NeededScope } from './use-denial';

interface ActionButtonProps extends ButtonProps {
  pending: boolean;
  action: () => void;
  /** `operate` by default. */
  needs?: NeededScope;
  /** Why it cannot be used at present. */
  because?: string | false | undefined;
  children: ReactNode;
  title?: string;
  'aria-label'?: string;
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
