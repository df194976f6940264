import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { ActionButton } from './action-button';
import classes from './confirm-dialog.module.css';
import { Dialog } from './dialog';
import { ErrorNote } from './error-note';

interface ConfirmDialogProps {
  title: string;
  opened: boolean;
  close: () => void;
  /** Called when it has gone from the screen, for where the focus cannot go back. */
  closed?: () => void;
  /** Labels of the two buttons. */
  cancelLabel: string;
  confirmLabel: string;
  /** Whether it cannot be undone. */
  isDestructive?: boolean;
  pending: boolean;
  error: unknown;
  confirm: () => void;
  /** In place of the error, where there is another way to offer. */
  alternative?: ReactNode;
  /** Explains the action. */
  children: ReactNode;
}

/** Asks for confirmation and explains the action. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const {
    title,
    opened,
    close,
    closed,
    cancelLabel,
    confirmLabel,
    isDestructive = false,
    pending,
    error,
    confirm,
  } = props;
  return (
    <Dialog opened={opened} close={close} closed={closed} title={title}>
      <div className={classes.parts}>
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
