import { Button, Modal } from '@mantine/core';
import { useRef, useState, type ReactNode } from 'react';
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
  /** Whether what is typed in it is not worth keeping. */
  isSearch?: boolean;
  children: ReactNode;
}

/**
 * A modal dialog. Escape, a click beside it and its cross ask before text that was typed is lost; its other buttons do
 * not. Its header is not a landmark, since the page already has a banner.
 */
export function Dialog({ title, opened, close, onClosed, size, isSearch = false, children }: DialogProps) {
  const edited = useRef<TextField>(null);
  const [isAsking, setAsking] = useState(false);
  if (isAsking && !opened) setAsking(false);
  const keep = () => {
    setAsking(false);
    edited.current?.focus();
  };
  const leave = () => {
    // What was sent is no longer there.
    const { current: field } = edited;
    if (isSearch || field?.isConnected !== true || field.value.trim() === '') close();
    else if (isAsking) keep();
    else setAsking(true);
  };
  return (
    <Modal.Root
      opened={opened}
      onClose={leave}
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
        <Modal.Body
          onInput={({ target }) => {
            if (isTextField(target)) edited.current = target;
          }}
        >
          {children}
          {isAsking && (
            <div role="alert" className={classes.question}>
              <span>What you typed would be lost.</span>
              <Button ref={focus} onClick={keep}>
                Stay
              </Button>
              <Button color="red" onClick={close}>
                Leave
              </Button>
            </div>
          )}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

const focus = (element: HTMLElement | null) => element?.focus();

type TextField = HTMLInputElement | HTMLTextAreaElement;

const isTextField = (target: EventTarget): target is TextField =>
  target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type === 'text');
