import type { Scope } from '../../../src/contract/token';
import { Switchboard } from '../../support/daemon/switchboard';
import { askWith, makeToken } from './token-fixture';

/** What each route behind the guard needs, spelt out; `any`: whatever a token may do. */
const NEEDS: Record<Scope | 'any', string[]> = {
  any: ['GET /session', 'DELETE /session', 'GET /openapi.json'],
  listen: [],
  read: [
    'GET /stats',
    'GET /stats/series',
    'GET /stats/targets',
    'GET /stats/targets/:id/errors',
    'POST /ledger',
    'GET /events',
    'GET /events/export',
    'GET /events/:id',
    'GET /events/:id/body',
    'GET /sandbox',
    'GET /duplicates',
    'GET /rejections',
    'GET /rejections/:id/body',
    'GET /alerts',
    'GET /outages',
    'GET /targets',
    'GET /targets/:id',
    'POST /targets/preview',
    'GET /deliveries',
    'GET /deliveries/:id',
    'GET /dead-letters',
    'GET /dead-letters/causes',
    'GET /deliveries/jobs',
    'GET /deliveries/jobs/:id',
    'GET /replays',
    'GET /replays/:id',
    'POST /replays/preview',
    'GET /connection',
    'GET /subscription',
  ],
  operate: [
    'POST /events/:id/replay',
    'POST /events/:id/resend',
    'POST /duplicates/:id/release',
    'POST /duplicates/:id/dismiss',
    'POST /rejections/:id/recheck',
    'POST /outages/:id/dismiss',
    'POST /targets',
    'POST /targets/test',
    'PATCH /targets/:id',
    'DELETE /targets/:id',
    'POST /targets/:id/test',
    'POST /targets/:id/pause',
    'POST /targets/:id/resume',
    'POST /targets/:id/secret/rotate',
    'POST /deliveries/:id/retry',
    'POST /deliveries/:id/discard',
    'POST /deliveries/retry',
    'POST /deliveries/discard',
    'POST /deliveries/jobs/:id/cancel',
    'POST /replays',
    'POST /replays/:id/pause',
    'POST /replays/:id/resume',
    'POST /replays/:id/cancel',
    'POST /subscription/repair',
    'POST /subscription/rotate',
    'POST /subscription/probe',
    'POST /subscription/pause',
    'POST /subscription/resume',
    'DELETE /subscription/webhooks/:id',
    'PATCH /sandbox/traffic',
    'PATCH /sandbox/faults',
    'POST /sandbox/events',
  ],
  admin: [
    'GET /tokens',
    'POST /tokens',
    'DELETE /tokens/:id',
    'GET /audit',
    'GET /settings',
    'POST /login-links',
    'POST /connection/disconnect',
    'GET /oauth/connect',
    'POST /oauth/connect',
    'GET /sessions',
    'DELETE /sessions',
    'DELETE /sessions/:id',
  ],
};

/** What a token of one scope gets at. */
const GETS: Record<Scope, (Scope | 'any')[]> = {
  read: ['any', 'read'],
  operate: ['any', 'read', 'operate'],
  listen: ['any', 'listen'],
  admin: ['any', 'read', 'operate', 'listen', 'admin'],
};

const ROUTES = Object.entries(NEEDS).flatMap(([scope, routes]) => routes.map((route) => ({ route, scope })));
/** Answered before any login is asked for, and documented all the same. */
const OPEN = ['POST /session', 'GET /oauth/callback', 'GET /healthz', 'GET /readyz'];

let board: Switchboard;
beforeAll(async () => {
  board = await Switchboard.start();
});
afterAll(() => board.end());

const pathOf = (path: string) => (path.startsWith('/oauth') ? path : `/api/v1${path}`);

describe.each(['read', 'operate', 'listen', 'admin'] as const)('a token with the scope %s', (scope) => {
  let secret: string;
  beforeAll(async () => {
    ({ secret } = await makeToken(board, [scope]));
  });

  it.each(ROUTES)('at $route, which needs $scope', async ({ route, scope: needed }) => {
    const [method, path] = route.split(' ') as [string, string];
    // A body that fits nowhere: what is let in goes no further than that, where it would take a body.
    const json = method === 'GET' || method === 'DELETE' ? {} : { json: [] };
    const address = pathOf(path.replace(':id', 'none'));
    const { status, json: answer } = await askWith(board, secret, address, { method, ...json });
    if (GETS[scope].includes(needed as Scope)) {
      expect([401, 403]).not.toContain(status);
      return;
    }
    expect(status).toBe(403);
    expect(answer).toMatchObject({
      code: 'scope_missing',
      detail: expect.stringContaining(`\`${needed}\``),
      remedy: expect.any(String),
    });
  });
});

it('two scopes are held together', async () => {
  const { secret } = await makeToken(board, ['listen', 'read']);
  expect((await askWith(board, secret, '/api/v1/events')).status).toBe(200);
  expect((await askWith(board, secret, '/api/v1/tokens')).status).toBe(403);
});

it('a scope that lets read lets ask for the headers alone too', async () => {
  const { secret } = await makeToken(board, ['listen']);
  expect((await askWith(board, secret, '/api/v1/events', { method: 'HEAD' })).status).toBe(403);
});

const byRoute = (one: { route: string }, two: { route: string }) => one.route.localeCompare(two.route);

it('the document names the scope of every route, and no route is left out', async () => {
  const { json } = await board.ask('/openapi.json');
  const { paths } = json as { paths: Record<string, Record<string, { 'x-required-scope'?: string | null }>> };
  const documented = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      const route = `${method.toUpperCase()} ${path.replace('/api/v1', '').replaceAll(/\{(\w+)\}/g, ':$1')}`;
      return { route, scope: operation['x-required-scope'] };
    }),
  );
  const known = ROUTES.map(({ route, scope }) => ({ route, scope: scope === 'any' ? null : scope }));
  const hidden = ['GET /openapi.json'];
  expect(documented.filter(({ route }) => !OPEN.includes(route)).toSorted(byRoute)).toEqual(
    known.filter(({ route }) => !hidden.includes(route)).toSorted(byRoute),
  );
});
