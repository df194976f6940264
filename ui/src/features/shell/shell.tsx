import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { loginExpiry } from '../../api/login-end';
import { sessionQuery } from '../../api/session';
import { syncQueryCache } from '../../live/sync-query-cache';
import { LiveConnection } from '../../live/live-connection';
import { LiveContext } from '../../live/live-context';
import { Header } from './header';
import { HelpDialog } from './help-dialog';
import { Navigation } from './navigation';
import { useTimeZone } from '../../format/time-zone';
import { useNavigationKeys } from './use-navigation-keys';
import classes from './shell.module.css';
import { useShortcuts } from '../../components/use-shortcuts';

const SignInAgain = lazy(() =>
  import('../sign-in/sign-in-again').then((part) => ({ default: part.SignInAgain })),
);

/** The frame around every screen that wants a login; it holds the socket for as long as the login lasts. */
export function Shell() {
  const cache = useQueryClient();
  const [live] = useState(() => new LiveConnection(() => void askForSession(cache)));
  const [help, setHelp] = useState(false);
  useShortcuts({ '?': () => setHelp(true) });
  useNavigationKeys();
  const ended = useSyncExternalStore(loginExpiry.subscribe, loginExpiry.read);
  useEffect(() => syncQueryCache(live, cache), [live, cache]);
  useEffect(() => {
    if (!ended) live.open();
    return () => live.close();
  }, [live, ended]);

  return (
    <LiveContext value={live}>
      <a href="#main" className={classes.skip}>
        Skip to content
      </a>
      <div className={classes.shell}>
        <Header openHelp={() => setHelp(true)} />
        <Navigation />
        <Main />
      </div>
      <HelpDialog opened={help} close={() => setHelp(false)} />
      {ended && (
        <Suspense>
          <SignInAgain />
        </Suspense>
      )}
    </LiveContext>
  );
}

/** Looks whether the login still holds; if not, the cache tells. */
async function askForSession(cache: QueryClient): Promise<void> {
  await cache.fetchQuery({ ...sessionQuery, staleTime: 0 }).catch(() => undefined);
}

/** The screen's own place; another address begins at its own top, and another zone tells every time anew. */
function Main() {
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const zone = useTimeZone();
  return (
    <main id="main" key={`${pathname} ${zone}`} className={classes.main} tabIndex={-1}>
      <Outlet />
    </main>
  );
}
