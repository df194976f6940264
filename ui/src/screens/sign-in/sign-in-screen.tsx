import { Button, PasswordInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState, type SubmitEvent } from 'react';
import { isSignedOut } from '../../api/api-error';
import { openSession, sessionQuery } from '../../api/session';
import { Brand } from '../../components/brand';
import { ErrorNote } from '../../components/error-note';
import { SchemeSwitch } from '../../components/scheme-switch';
import { useDocumentTitle } from '../../components/screen';
import classes from './sign-in-screen.module.css';

const route = getRouteApi('/sign-in');

/** An address of this dashboard, and no other site's, whatever the link that led here says. */
const safeNext = (next: string | undefined): string =>
  next !== undefined && /^\/(?![/\\])/.test(next) && !next.startsWith('/sign-in') ? next : '/';

/** Takes the admin token, and says where it is to be found. */
export function SignInScreen() {
  useDocumentTitle('Sign in');
  const { next } = route.useSearch();
  const router = useRouter();
  const cache = useQueryClient();
  const [token, setToken] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const signIn = useMutation({
    mutationFn: () => openSession(token.trim()),
    onSuccess: (session) => {
      cache.setQueryData(sessionQuery.queryKey, session);
      router.history.replace(safeNext(next));
    },
  });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    signIn.mutate();
  };
  const wrong = isSignedOut(signIn.error);
  return (
    <main className={classes.screen}>
      <div className={classes.corner}>
        <SchemeSwitch />
      </div>
      <div className={classes.card}>
        <Brand />
        <h1>Sign in</h1>
        <form onSubmit={submit} className={classes.form}>
          <PasswordInput
            ref={field}
            label="Admin token"
            value={token}
            onChange={({ currentTarget }) => setToken(currentTarget.value)}
            error={wrong ? 'This is not the admin token of this Switchboard.' : undefined}
            autoComplete="current-password"
            required
            withAsterisk={false}
          />
          {signIn.error !== null && !wrong && <ErrorNote error={signIn.error} />}
          <Button type="submit" variant="filled" size="sm" fullWidth loading={signIn.isPending}>
            Sign in
          </Button>
        </form>
        <div className={classes.help}>
          <h2>Where is it?</h2>
          <p>
            In the file <code>admin.token</code> in the data directory, or in the setting{' '}
            <code>SWITCHBOARD_ADMIN_TOKEN</code> if you gave one.
          </p>
          <p>
            Without copying it: <code>switchboard login-link</code> prints a link that signs you in once.
          </p>
        </div>
      </div>
    </main>
  );
}
