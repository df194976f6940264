import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { isHostRejected, isSignedOut } from './api/api-error';
import { sessionQuery } from './api/session';
import { auditSearch } from './search/audit-search';
import { ErrorNote } from './components/error-note';
import { NotFound } from './components/not-found';
import { CardPage } from './features/shell/card-page';
import { lazyScreen } from './features/shell/lazy-screen';
import { ScreenPending } from './features/shell/screen-pending';
import { ScreenError } from './features/shell/screen-error';
import { Shell } from './features/shell/shell';
import { targetsSearch } from './search/targets-search';
import { targetSearch } from './search/target-search';
import { entitiesSearch } from './search/entities-search';
import { eventsSearch } from './search/events-search';
import { failuresSearch } from './search/failures-search';
import { liveSearch } from './search/live-search';
import { overviewSearch } from './search/overview-search';
import { payloadTypeSearch } from './search/payload-type-search';
import { replaySearch } from './search/replay-search';
import { OverviewScreen } from './screens/overview/overview-screen';
import { parseSearch, stringifySearch } from './search/query-string';

const root = createRootRouteWithContext<{ cache: QueryClient }>()({ component: Outlet });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { next?: string } =>
    typeof search['next'] === 'string' ? { next: search['next'] } : {},
  component: lazyScreen(() => import('./screens/sign-in/sign-in-screen'), 'SignInScreen'),
});

/** The parent of all screens that require a session. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ context, location }) => {
    try {
      await context.cache.ensureQueryData(sessionQuery);
    } catch (error) {
      // If the daemon does not respond, the screens show the error; the token would not help.
      if (isSignedOut(error))
        throw redirect({ to: '/sign-in', search: { next: location.href }, replace: true });
      // No screen would have data, and the socket would retry forever.
      if (isHostRejected(error)) throw error;
    }
  },
  component: Shell,
  pendingMs: Infinity,
  errorComponent: ({ error, reset }) => (
    <CardPage title={isHostRejected(error) ? 'Wrong address' : 'Something went wrong'}>
      <ErrorNote error={error} retry={reset} />
    </CardPage>
  ),
});

const overview = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  validateSearch: overviewSearch,
  component: OverviewScreen,
});

const live = createRoute({
  getParentRoute: () => signedIn,
  path: '/live',
  validateSearch: liveSearch,
  component: lazyScreen(() => import('./screens/live/live-screen'), 'LiveScreen'),
});

const events = createRoute({
  getParentRoute: () => signedIn,
  path: '/events',
  validateSearch: eventsSearch,
  component: lazyScreen(() => import('./screens/events/events-screen'), 'EventsScreen'),
});

const event = createRoute({
  getParentRoute: () => signedIn,
  path: '/events/$id',
  component: lazyScreen(() => import('./screens/event/event-screen'), 'EventScreen'),
});

const entities = createRoute({
  getParentRoute: () => signedIn,
  path: '/entities',
  validateSearch: entitiesSearch,
  component: lazyScreen(() => import('./screens/entities/entities-screen'), 'EntitiesScreen'),
});

const entity = createRoute({
  getParentRoute: () => signedIn,
  path: '/entities/$entity',
  component: lazyScreen(() => import('./screens/entity/entity-screen'), 'EntityScreen'),
});

const targets = createRoute({
  getParentRoute: () => signedIn,
  path: '/targets',
  validateSearch: targetsSearch,
  component: lazyScreen(() => import('./screens/targets/targets-screen'), 'TargetsScreen'),
});

const newTarget = createRoute({
  getParentRoute: () => signedIn,
  path: '/targets/new',
  component: lazyScreen(() => import('./screens/new-target/new-target-screen'), 'NewTargetScreen'),
});

const testEvent = createRoute({
  getParentRoute: () => signedIn,
  path: '/targets/test',
  component: lazyScreen(() => import('./screens/test-event/test-event-screen'), 'TestEventScreen'),
});

const target = createRoute({
  getParentRoute: () => signedIn,
  path: '/targets/$id',
  validateSearch: targetSearch,
  component: lazyScreen(() => import('./screens/target/target-screen'), 'TargetScreen'),
});

const transformation = createRoute({
  getParentRoute: () => signedIn,
  path: '/targets/$id/transformation',
  component: lazyScreen(
    () => import('./screens/transformation/transformation-screen'),
    'TransformationScreen',
  ),
});

const failures = createRoute({
  getParentRoute: () => signedIn,
  path: '/failures',
  validateSearch: failuresSearch,
  component: lazyScreen(() => import('./screens/failures/failures-screen'), 'FailuresScreen'),
});

const replays = createRoute({
  getParentRoute: () => signedIn,
  path: '/replays',
  component: lazyScreen(() => import('./screens/replays/replays-screen'), 'ReplaysScreen'),
});

const newReplay = createRoute({
  getParentRoute: () => signedIn,
  path: '/replays/new',
  validateSearch: replaySearch,
  component: lazyScreen(() => import('./screens/new-replay/new-replay-screen'), 'NewReplayScreen'),
});

const replay = createRoute({
  getParentRoute: () => signedIn,
  path: '/replays/$id',
  component: lazyScreen(() => import('./screens/replay/replay-screen'), 'ReplayScreen'),
});

const connection = createRoute({
  getParentRoute: () => signedIn,
  path: '/connection',
  component: lazyScreen(() => import('./screens/connection/connection-screen'), 'ConnectionScreen'),
});

const contract = createRoute({
  getParentRoute: () => signedIn,
  path: '/contract',
  component: lazyScreen(() => import('./screens/contract/contract-screen'), 'ContractScreen'),
});

const payloadType = createRoute({
  getParentRoute: () => signedIn,
  path: '/contract/$type',
  validateSearch: payloadTypeSearch,
  component: lazyScreen(() => import('./screens/payload-type/payload-type-screen'), 'PayloadTypeScreen'),
});

const sandbox = createRoute({
  getParentRoute: () => signedIn,
  path: '/sandbox',
  component: lazyScreen(() => import('./screens/sandbox/sandbox-screen'), 'SandboxScreen'),
});

const settings = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings',
  validateSearch: auditSearch,
  component: lazyScreen(() => import('./screens/settings/settings-screen'), 'SettingsScreen'),
});

const unknownPath = createRoute({ getParentRoute: () => signedIn, path: '$', component: NotFound });

/** The routes of the dashboard. */
export function buildRouter(cache: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([
      signIn,
      signedIn.addChildren([
        overview,
        live,
        events,
        event,
        entities,
        entity,
        targets,
        newTarget,
        testEvent,
        target,
        transformation,
        failures,
        replays,
        newReplay,
        replay,
        connection,
        contract,
        payloadType,
        sandbox,
        settings,
        unknownPath,
      ]),
    ]),
    context: { cache },
    // Unknown parameters are dropped.
    search: { strict: true },
    parseSearch,
    stringifySearch,
    // Keeps the colon of an entity readable in the URL.
    pathParamsAllowedCharacters: [':'],
    defaultPreload: 'intent',
    defaultPendingMs: 300,
    defaultPendingMinMs: 0,
    // Without one, nothing changes until the screen is loaded, not even the note of a lost connection.
    defaultPendingComponent: ScreenPending,
    defaultNotFoundComponent: NotFound,
    defaultErrorComponent: ScreenError,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof buildRouter>;
  }
  interface HistoryState {
    /** The list from which the page was opened. */
    cameFrom?: '/live' | '/events' | '/entities' | '/targets' | '/replays';
    /** The id of the target that was just added. */
    created?: string;
    /** The causes that are expanded on the Failures screen. */
    openCauses?: string[];
  }
}
