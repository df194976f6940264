import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { ActButton } from './action-button';
import classes from './confirm-dialog.module.css';
import { Dialog } from './dialog';
import { ErrorNote } from './error-note';

interface ConfirmDialogProps {
  title: string;
  opened: boolean;
  close: () => void;
  /** Called when it has gone from the screen, for where the focus cannot go back. */
  closed?: () => void;
  /** The words of the two buttons. */
  keepWord: string;
  actWord: string;
  /** Whether something is lost by it. */
  loses?: boolean;
  pending: boolean;
  error: unknown;
  act: () => void;
  /** In place of the error, where there is another way to offer. */
  otherWay?: ReactNode;
  /** What the act means. */
  children: ReactNode;
}

/** Asks once, and says what the act means. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, opened, close, closed, keepWord, actWord, loses = false, pending, error, act } = props;
  return (
    <Dialog opened={opened} close={close} closed={closed} title={title}>
      <div className={classes.parts}>
        {props.children}
        {props.otherWay ?? (error !== null && <ErrorNote error={error} />)}
      </div>
      <Group justify="flex-end" mt="lg">
        <Button onClick={close} data-autofocus>
          {keepWord}
        </Button>
        <ActButton variant="filled" {...(loses && { color: 'red' })} pending={pending} act={act}>
          {actWord}
        </ActButton>
      </Group>
    </Dialog>
  );
}
