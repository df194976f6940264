import { Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { sessionExpiry } from '../../api/session-expiry';
import { sessionQuery } from '../../api/session';
import { Brand } from '../shell/brand';
import stack from '../../components/stack.module.css';
import classes from './sign-in-again.module.css';
import { SignInForm } from './sign-in-form';

const doNothing = () => {};

/**
 * A sign-in dialog over the current screen, which keeps everything typed. The screen is hidden, since someone
 * else may be at the browser now.
 */
export function SignInAgain() {
  useLoginFromOtherTab();
  useRestoreFocus();
  return (
    <Modal.Root
      opened
      onClose={doNothing}
      closeOnEscape={false}
      closeOnClickOutside={false}
      centered
      radius="var(--sb-radius)"
      padding="var(--sb-4)"
      classNames={{ content: classes.card }}
    >
      <Modal.Overlay backgroundOpacity={1} color="var(--sb-ground)" />
      <Modal.Content>
        <div className={classes.brand}>
          <Brand />
        </div>
        <Modal.Title className={classes.title}>Your session has ended</Modal.Title>
        <Modal.Body className={stack.medium}>
          <p>Sign in again to continue where you left off. Anything you typed is still here.</p>
          <SignInForm signedIn={sessionExpiry.clear} />
          <p className={classes.other}>
            Or open the link that <code>switchboard login-link</code> prints in this browser, then come back.
          </p>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** Checks for a new session whenever the page gets the focus. */
function useLoginFromOtherTab(): void {
  const cache = useQueryClient();
  useEffect(() => {
    const check = () => {
      cache
        .fetchQuery({ ...sessionQuery, staleTime: 0, networkMode: 'always' })
        .then(sessionExpiry.clear, doNothing);
    };
    globalThis.addEventListener('focus', check);
    return () => globalThis.removeEventListener('focus', check);
  }, [cache]);
}

/** Restores the focus when the dialog closes; the library does not for a dialog that is mounted open. */
function useRestoreFocus(): void {
  const [previous] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (previous instanceof HTMLElement) previous.focus();
    },
    [previous],
  );
}
