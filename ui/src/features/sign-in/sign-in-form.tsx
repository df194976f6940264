import { Button, PasswordInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type SubmitEvent } from 'react';
import { isSignedOut } from '../../api/api-error';
import { openSession, sessionQuery } from '../../api/session';
import { ErrorNote } from '../../components/error-note';
import stack from '../../components/stack.module.css';

/** Opens a session with the admin token. */
export function SignInForm({ signedIn }: { signedIn: () => void }) {
  const cache = useQueryClient();
  const [token, setToken] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const signIn = useMutation({
    mutationFn: () => openSession(token.trim()),
    // Other requests are paused after the session has expired.
    networkMode: 'always',
    onSuccess: (session) => {
      cache.setQueryData(sessionQuery.queryKey, session);
      signedIn();
    },
  });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    signIn.mutate();
  };
  const isWrongToken = isSignedOut(signIn.error);
  return (
    <form onSubmit={submit} className={stack.medium}>
      <PasswordInput
        ref={field}
        data-autofocus
        label="Admin token"
        value={token}
        onChange={({ currentTarget }) => setToken(currentTarget.value)}
        error={
          isWrongToken
            ? 'That is not the admin token of this Switchboard. API tokens do not sign in here.'
            : undefined
        }
        autoComplete="current-password"
        required
        withAsterisk={false}
      />
      {signIn.error !== null && !isWrongToken && <ErrorNote error={signIn.error} />}
      <Button type="submit" variant="filled" size="sm" fullWidth loading={signIn.isPending}>
        Sign in
      </Button>
    </form>
  );
}
