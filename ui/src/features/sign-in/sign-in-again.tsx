import { Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { loginExpiry } from '../../api/login-end';
import { sessionQuery } from '../../api/session';
import classes from './sign-in-again.module.css';
import { SignInForm } from './sign-in-form';

const stay = () => {};

/**
 * Asks for another login over the screen, which stays as it is with all that was typed, and out of sight: who sits here
 * now may be somebody else.
 */
export function SignInAgain() {
  useLoginFromOtherTab();
  useRestoreFocus();
  return (
    <Modal.Root
      opened
      onClose={stay}
      closeOnEscape={false}
      closeOnClickOutside={false}
      centered
      radius="var(--sb-radius)"
      padding="var(--sb-4)"
    >
      <Modal.Overlay backgroundOpacity={1} color="var(--mantine-color-body)" />
      <Modal.Content>
        <Modal.Title className={classes.title}>Your session has ended</Modal.Title>
        <Modal.Body className={classes.parts}>
          <p>Sign in again to continue where you left off. Anything you typed is still here.</p>
          <SignInForm signedIn={loginExpiry.clear} />
          <p className={classes.other}>
            Or open the link that <code>switchboard login-link</code> prints in this browser, then come back.
          </p>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** Looks once whether there is a login again, each time somebody comes back to the page. */
function useLoginFromOtherTab(): void {
  const cache = useQueryClient();
  useEffect(() => {
    const check = () => {
      cache
        .fetchQuery({ ...sessionQuery, staleTime: 0, networkMode: 'always' })
        .then(loginExpiry.clear, stay);
    };
    globalThis.addEventListener('focus', check);
    return () => globalThis.removeEventListener('focus', check);
  }, [cache]);
}

/** The focus goes back to where somebody typed; the library does so only for a dialog that was there before it opened. */
function useRestoreFocus(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (before instanceof HTMLElement) before.focus();
    },
    [before],
  );
}
