import type { Scope } from '../../../src/contract/token';
import { Switchboard } from '../../support/daemon/switchboard';
import { askWith, makeToken } from './token-fixture';

/** The scope that each protected route needs; `any`: any token is sufficient. */
const NEEDS: Record<Scope | 'any', string[]> = {
  any: ['GET /session', 'DELETE /session', 'GET /openapi.json'],
  listen: [],
  reveal: [],
  receive: [
    'POST /targets',
    'GET /consumers',
    'POST /consumers',
    'GET /consumers/:name',
    'PATCH /consumers/:name',
    'DELETE /consumers/:name',
    'POST /consumers/:name/read',
    'POST /consumers/:name/commit',
    'POST /consumers/:name/release',
    'POST /consumers/:name/reset',
  ],
  backup: ['GET /backups', 'POST /backups'],
  read: [
    'GET /health',
    'GET /stats',
    'GET /stats/series',
    'GET /stats/targets',
    'GET /stats/targets/:id/errors',
    'GET /stats/targets/:id/series',
    'POST /ledger',
    'GET /events',
    'GET /events/count',
    'GET /events/export',
    'GET /events/fields',
    'GET /events/histogram',
    'GET /events/:id',
    'GET /events/:id/body',
    'GET /events/:id/explain',
    'GET /events/:id/changes',
    'GET /entities',
    'GET /entities/count',
    'GET /entities/export',
    'GET /entities/changes',
    'GET /entities/:entity',
    'GET /entities/:entity/changes',
    'GET /sandbox',
    'GET /duplicates',
    'GET /rejections',
    'GET /rejections/:id/body',
    'GET /alerts',
    'GET /saved-views',
    'GET /types',
    'GET /types/export',
    'GET /types/:type',
    'GET /types/:type/versions',
    'GET /snoozes',
    'GET /outages',
    'GET /targets',
    'GET /targets/:id',
    'POST /targets/preview',
    'POST /targets/preview/message',
    'POST /targets/preview/transform',
    'POST /targets/:id/transform/test',
    'POST /targets/match',
    'GET /deliveries',
    'GET /deliveries/:id',
    'GET /deliveries/:id/body',
    'GET /daemons',
    'GET /dead-letters',
    'GET /dead-letters/causes',
    'GET /deliveries/jobs',
    'GET /deliveries/jobs/:id',
    'GET /replays',
    'GET /replays/:id',
    'POST /replays/preview',
    'GET /repairs',
    'GET /repairs/:id',
    'GET /repairs/:id/items',
    'GET /connection',
    'GET /subscription',
    'GET /metrics',
  ],
  operate: [
    'GET /manifests/export',
    'POST /manifests/:name/apply',
    'POST /events/:id/replay',
    'POST /events/:id/resend',
    'POST /duplicates/:id/release',
    'POST /duplicates/:id/dismiss',
    'POST /rejections/:id/recheck',
    'DELETE /rejections/:id',
    'POST /outages/:id/dismiss',
    'POST /types/:type/accept',
    'PATCH /types/:type',
    'DELETE /types/:type',
    'POST /saved-views',
    'PATCH /saved-views/:id',
    'DELETE /saved-views/:id',
    'POST /snoozes',
    'DELETE /snoozes/:id',
    'POST /targets/test',
    'PATCH /targets/:id',
    'DELETE /targets/:id',
    'POST /targets/:id/test',
    'POST /targets/:id/exam',
    'POST /targets/pause',
    'POST /targets/resume',
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
    'POST /repairs',
    'POST /repairs/:id/apply',
    'POST /repairs/:id/cancel',
    'POST /subscription/repair',
    'POST /subscription/rotate',
    'POST /subscription/reachability',
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
    'GET /erasures',
    'GET /erasures/:id',
    'POST /erasures',
    'POST /erasures/preview',
  ],
};

/** The routes that a token with one scope may use. */
const GRANTED: Record<Scope, (Scope | 'any')[]> = {
  read: ['any', 'read'],
  reveal: ['any', 'reveal'],
  operate: ['any', 'read', 'reveal', 'operate', 'receive'],
  listen: ['any', 'listen'],
  receive: ['any', 'receive'],
  backup: ['any', 'backup'],
  admin: ['any', 'read', 'reveal', 'operate', 'listen', 'receive', 'backup', 'admin'],
};

const ROUTES = Object.entries(NEEDS).flatMap(([scope, routes]) => routes.map((route) => ({ route, scope })));
/** Open routes that are documented nevertheless. */
const OPEN = [
  'POST /session',
  'GET /oauth/callback',
  'GET /healthz',
  'GET /readyz',
  'GET /schemas/switchboard.json',
];

let switchboard: Switchboard;
beforeAll(async () => {
  switchboard = await Switchboard.start();
});
afterAll(() => switchboard.end());

const pathOf = (path: string) => (/^\/(oauth|metrics)/.test(path) ? path : `/api/v1${path}`);

describe.each(['read', 'reveal', 'operate', 'listen', 'receive', 'backup', 'admin'] as const)(
  'a token with the scope %s',
  (scope) => {
    let secret: string;
    beforeAll(async () => {
      ({ secret } = await makeToken(switchboard, [scope]));
    });

    it.each(ROUTES)(
      'is allowed or rejected at $route, which needs $scope',
      async ({ route, scope: needed }) => {
        const [method, path] = route.split(' ') as [string, string];
        // A body that is invalid everywhere: an authorized request goes no further than its validation.
        const json = method === 'GET' || method === 'DELETE' ? {} : { json: [] };
        const address = pathOf(path.replace(':id', 'none'));
        const { status, json: answer } = await askWith(switchboard, secret, address, { method, ...json });
        if (GRANTED[scope].includes(needed as Scope)) {
          expect([401, 403]).not.toContain(status);
          return;
        }
        expect(status).toBe(403);
        expect(answer).toMatchObject({
          code: 'scope_missing',
          detail: expect.stringContaining(`\`${needed}\``),
          remedy: expect.any(String),
        });
      },
    );
  },
);

it('two scopes can be combined', async () => {
  const { secret } = await makeToken(switchboard, ['listen', 'read']);
  expect((await askWith(switchboard, secret, '/api/v1/events')).status).toBe(200);
  expect((await askWith(switchboard, secret, '/api/v1/tokens')).status).toBe(403);
});

it('a scope that allows GET allows HEAD, too', async () => {
  const { secret } = await makeToken(switchboard, ['listen']);
  expect((await askWith(switchboard, secret, '/api/v1/events', { method: 'HEAD' })).status).toBe(403);
});

const byRoute = (one: { route: string }, two: { route: string }) => one.route.localeCompare(two.route);

it('openapi.json has the scope of every route', async () => {
  const { json } = await switchboard.ask('/openapi.json');
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
