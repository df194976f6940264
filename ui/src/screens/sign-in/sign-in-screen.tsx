import { getRouteApi, useRouter } from '@tanstack/react-router';
import { CardPage } from '../../features/shell/card-page';
import { ThemeChoice } from '../../features/preferences/preferences';
import { SignInForm } from '../../features/sign-in/sign-in-form';
import classes from './sign-in-screen.module.css';

const route = getRouteApi('/sign-in');

/** Prevents a redirect to another site. */
const safeNext = (next: string | undefined): string =>
  next !== undefined && /^\/(?![/\\])/.test(next) && !next.startsWith('/sign-in') ? next : '/';

/** The sign-in form, and where to find the admin token. */
export function SignInScreen() {
  const { next } = route.useSearch();
  const router = useRouter();
  return (
    <CardPage title="Sign in">
      <div className={classes.corner}>
        <ThemeChoice />
      </div>
      <SignInForm signedIn={() => router.history.replace(safeNext(next))} />
      <div className={classes.help}>
        <h2>Where do I find the token?</h2>
        <p>
          In the file <code>admin.token</code> in the data directory, or in the setting{' '}
          <code>SWITCHBOARD_ADMIN_TOKEN</code> if you set one.
        </p>
        <p>
          To sign in without copying it: <code>switchboard login-link</code> prints a one-time link.
        </p>
      </div>
    </CardPage>
  );
}
