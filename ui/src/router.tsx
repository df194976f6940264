import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { isSignedOut } from './api/api-error';
import { sessionQuery } from './api/session';
import { auditSearch } from './search/audit-search';
import { ErrorNote } from './components/error-note';
import { NotFound } from './components/not-found';
import { Screen } from './components/screen';
import { Shell } from './features/shell/shell';
import { targetSearch } from './search/target-search';
import { eventsSearch } from './search/events-search';
import { failuresSearch } from './search/failures-search';
import { liveSearch } from './search/live-search';
import { overviewSearch } from './search/overview-search';
import { replaySearch } from './search/replay-search';
import { OverviewScreen } from './screens/overview/overview-screen';
import { parseSearch, stringifySearch } from './search/query-string';

const root = createRootRouteWithContext<{ cache: QueryClient }>()({ component: Outlet });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { next?: string } =>
    typeof search['next'] === 'string' ? { next: search['next'] } : {},
  component: lazyRouteComponent(() => import('./screens/sign-in/sign-in-screen'), 'SignInScreen'),
});

/** Everything that wants a login. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  beforeLoad: async ({ context, location }) => {
    try {
      await context.cache.ensureQueryData(sessionQuery);
    } catch (error) {
      // A daemon that does not answer is no reason to ask for a token: the screens say what is wrong.
      if (isSignedOut(error))
        throw redirect({ to: '/sign-in', search: { next: location.href }, replace: true });
    }
  },
  component: Shell,
});

const overview = createRoute({
  getParentRoute: () => inside,
  path: '/',
  validateSearch: overviewSearch,
  component: OverviewScreen,
});

const live = createRoute({
  getParentRoute: () => inside,
  path: '/live',
  validateSearch: liveSearch,
  component: lazyRouteComponent(() => import('./screens/live/live-screen'), 'LiveScreen'),
});

const events = createRoute({
  getParentRoute: () => inside,
  path: '/events',
  validateSearch: eventsSearch,
  component: lazyRouteComponent(() => import('./screens/events/events-screen'), 'EventsScreen'),
});

const event = createRoute({
  getParentRoute: () => inside,
  path: '/events/$id',
  component: lazyRouteComponent(() => import('./screens/event/event-screen'), 'EventScreen'),
});

const entity = createRoute({
  getParentRoute: () => inside,
  path: '/entities/$entity',
  component: lazyRouteComponent(() => import('./screens/entity/entity-screen'), 'EntityScreen'),
});

const targets = createRoute({
  getParentRoute: () => inside,
  path: '/targets',
  component: lazyRouteComponent(() => import('./screens/targets/targets-screen'), 'TargetsScreen'),
});

const newTarget = createRoute({
  getParentRoute: () => inside,
  path: '/targets/new',
  component: lazyRouteComponent(() => import('./screens/new-target/new-target-screen'), 'NewTargetScreen'),
});

const target = createRoute({
  getParentRoute: () => inside,
  path: '/targets/$id',
  validateSearch: targetSearch,
  component: lazyRouteComponent(() => import('./screens/target/target-screen'), 'TargetScreen'),
});

const failures = createRoute({
  getParentRoute: () => inside,
  path: '/failures',
  validateSearch: failuresSearch,
  component: lazyRouteComponent(() => import('./screens/failures/failures-screen'), 'FailuresScreen'),
});

const replays = createRoute({
  getParentRoute: () => inside,
  path: '/replays',
  component: lazyRouteComponent(() => import('./screens/replays/replays-screen'), 'ReplaysScreen'),
});

const newReplay = createRoute({
  getParentRoute: () => inside,
  path: '/replays/new',
  validateSearch: replaySearch,
  component: lazyRouteComponent(() => import('./screens/new-replay/new-replay-screen'), 'NewReplayScreen'),
});

const replay = createRoute({
  getParentRoute: () => inside,
  path: '/replays/$id',
  component: lazyRouteComponent(() => import('./screens/replay/replay-screen'), 'ReplayScreen'),
});

const connection = createRoute({
  getParentRoute: () => inside,
  path: '/connection',
  component: lazyRouteComponent(() => import('./screens/connection/connection-screen'), 'ConnectionScreen'),
});

const sandbox = createRoute({
  getParentRoute: () => inside,
  path: '/sandbox',
  component: lazyRouteComponent(() => import('./screens/sandbox/sandbox-screen'), 'SandboxScreen'),
});

const settings = createRoute({
  getParentRoute: () => inside,
  path: '/settings',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('./screens/settings/settings-screen'), 'SettingsScreen'),
});

const loginPath = createRoute({ getParentRoute: () => inside, path: '$', component: NotFound });

/** The addresses of the dashboard and the screen behind each. */
export function buildRouter(cache: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([
      signIn,
      inside.addChildren([
        overview,
        live,
        events,
        event,
        entity,
        targets,
        newTarget,
        target,
        failures,
        replays,
        newReplay,
        replay,
        connection,
        sandbox,
        settings,
        loginPath,
      ]),
    ]),
    context: { cache },
    // What a screen does not read off its address is not handed on to it.
    search: { strict: true },
    parseSearch,
    stringifySearch,
    // An entity's colon stays one in its address.
    pathParamsAllowedCharacters: [':'],
    defaultPreload: 'intent',
    defaultPendingMs: 300,
    defaultNotFoundComponent: NotFound,
    defaultErrorComponent: ({ error, reset }) => (
      <Screen title="Something went wrong">
        <ErrorNote error={error} retry={reset} />
      </Screen>
    ),
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof buildRouter>;
  }
  interface HistoryState {
    /** The list that a page was opened from. */
    cameFrom?: '/live' | '/events' | '/targets' | '/replays';
  }
}
