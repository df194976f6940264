import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './dialog.module.css';

/** Later than Mantine returns the focus, which is 10 ms after closing, even if there is no transition. */
const AFTER_FOCUS_RETURNS_MS = 30;

interface DialogProps {
  title: string;
  opened: boolean;
  close: () => void;
  /** Called after the closing transition, when the focus has returned. */
  onClosed?: (() => void) | undefined;
  /** Wider, for editing text. */
  size?: 'lg' | undefined;
  children: ReactNode;
}

/** A modal dialog. Its header is not a landmark, since the page already has a banner. */
export function Dialog({ title, opened, close, onClosed, size, children }: DialogProps) {
  return (
    <Modal.Root
      opened={opened}
      onClose={close}
      {...(onClosed !== undefined && {
        onExitTransitionEnd: () => setTimeout(onClosed, AFTER_FOCUS_RETURNS_MS),
      })}
      {...(size !== undefined && { size })}
      centered
      radius="var(--sb-radius)"
      padding="var(--sb-4)"
    >
      <Modal.Overlay />
      <Modal.Content>
        <div className={classes.head}>
          <Modal.Title className={classes.title}>{title}</Modal.Title>
          <Modal.CloseButton aria-label="Close" />
        </div>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
