import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import stack from './stack.module.css';
import { ActionButton } from './action-button';
import { Dialog } from './dialog';
import { ErrorNote } from './error-note';

interface ConfirmDialogProps {
  title: string;
  size?: 'lg';
  opened: boolean;
  close: () => void;
  /** Called after the closing transition, to set the focus if the button that opened it is gone. */
  onClosed?: () => void;
  /** Labels of the two buttons. */
  cancelLabel: string;
  confirmLabel: string;
  /** Whether the action cannot be undone. */
  isDestructive?: boolean;
  pending: boolean;
  error: unknown;
  confirm: () => void;
  /** Shown in place of the error, to offer another action. */
  alternative?: ReactNode;
  /** Explains the action. */
  children: ReactNode;
}

/** Asks for confirmation and explains the action. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const {
    title,
    size,
    opened,
    close,
    onClosed,
    cancelLabel,
    confirmLabel,
    isDestructive = false,
    pending,
    error,
    confirm,
  } = props;
  return (
    <Dialog opened={opened} close={close} onClosed={onClosed} title={title} size={size}>
      <div className={stack.small}>
        {props.children}
        {props.alternative ?? (error !== null && <ErrorNote error={error} />)}
      </div>
      <Group justify="flex-end" mt="lg">
        <Button onClick={close} data-autofocus>
          {cancelLabel}
        </Button>
        <ActionButton
          variant="filled"
          {...(isDestructive && { color: 'red' })}
          pending={pending}
          action={confirm}
        >
          {confirmLabel}
        </ActionButton>
      </Group>
    </Dialog>
  );
}
