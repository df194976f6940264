import { useBlocker } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ConfirmDialog } from './confirm-dialog';

interface LeaveGuardProps {
  /** Whether something would be lost. */
  when: boolean;
  title: string;
  /** Whether the address keeps it, so that nothing is lost by a reload. */
  isInAddress?: boolean;
  children: ReactNode;
}

/** Asks before another screen is opened, or the page is closed or reloaded. A change of the search parameters is no leaving. */
export function LeaveGuard({ when, title, isInAddress = false, children }: LeaveGuardProps) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => when && next.pathname !== current.pathname,
    enableBeforeUnload: when && !isInAddress,
    withResolver: true,
  });
  return (
    <>
      {when && !isInAddress && <span hidden data-unsaved />}
      <ConfirmDialog
        title={title}
        opened={status === 'blocked'}
        close={() => reset?.()}
        cancelLabel="Stay"
        confirmLabel="Leave"
        isDestructive
        pending={false}
        error={null}
        confirm={() => proceed?.()}
      >
        {children}
      </ConfirmDialog>
    </>
  );
}
