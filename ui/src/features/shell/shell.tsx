import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { Outlet, useRouter, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { sessionExpiry } from '../../api/session-expiry';
import { sessionQuery } from '../../api/session';
import { invalidate } from '../../live/invalidate';
import { syncQueryCache } from '../../live/sync-query-cache';
import { LiveConnection } from '../../live/live-connection';
import { LiveContext } from '../../live/live-context';
import { RetryOffers } from '../dead-letters/retry-offers';
import { Header } from './header';
import { HelpDialog } from './help-dialog';
import { IgnoredSearchNote, useIgnoredSearch } from './ignored-search-note';
import { Navigation } from './navigation';
import { subscribeToTimeZone } from '../../format/time-zone';
import { StaleNote } from './stale-note';
import { useSavedScroll } from '../../components/use-scroll-restoration';
import { TabSignal } from './tab-signal';
import { useNavigationKeys } from './use-navigation-keys';
import classes from './shell.module.css';
import { useShortcuts } from '../../components/use-shortcuts';

const SignInAgain = lazy(() =>
  import('../sign-in/sign-in-again').then((part) => ({ default: part.SignInAgain })),
);

/** Layout of all screens that require a session. It owns the socket, which lasts as long as the session. */
export function Shell() {
  const cache = useQueryClient();
  const [live] = useState(() => new LiveConnection(() => void checkSession(cache)));
  const [help, setHelp] = useState(false);
  useShortcuts({ '?': () => setHelp(true) });
  useNavigationKeys();
  useSavedScroll();
  const isExpired = useSyncExternalStore(sessionExpiry.subscribe, sessionExpiry.read);
  useEffect(() => syncQueryCache(live, cache), [live, cache]);
  useEffect(() => {
    if (!isExpired) live.open();
    return () => live.close();
  }, [live, isExpired]);

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
      <TabSignal />
      {!isExpired && <RetryOffers />}
      <HelpDialog opened={help} close={() => setHelp(false)} />
      {isExpired && (
        <Suspense>
          <SignInAgain />
        </Suspense>
      )}
    </LiveContext>
  );
}

/** Checks the session; a 401 is handled by the query cache. */
async function checkSession(cache: QueryClient): Promise<void> {
  await cache.fetchQuery({ ...sessionQuery, staleTime: 0 }).catch(() => undefined);
}

/** What another mount of the screen would lose. */
const UNSAVED = 'main :is([data-secret], [data-unsaved])';

/**
 * The current screen. It is remounted on another path, to scroll to the top, and on another time zone, unless something
 * would be lost; then it is only rendered again.
 */
function Main() {
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  const cache = useQueryClient();
  const [zonesShown, setZonesShown] = useState(0);
  useEffect(
    () =>
      subscribeToTimeZone(() => {
        if (document.querySelector(UNSAVED) === null) setZonesShown((count) => count + 1);
        // Another zone has another today.
        else void invalidate(cache);
      }),
    [cache],
  );
  const [ignored, dismiss] = useIgnoredSearch();
  const router = useRouter();
  // What led to another screen may have been a part of the one before: the focus must not be lost with it.
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (fromLocation !== undefined && pathChanged && document.activeElement === document.body)
          document.querySelector('main')?.focus({ preventScroll: true });
      }),
    [router],
  );
  return (
    <main id="main" key={`${pathname} ${zonesShown}`} className={classes.main} tabIndex={-1}>
      <StaleNote />
      <IgnoredSearchNote ignored={ignored} dismiss={dismiss} />
      <Outlet />
    </main>
  );
}
