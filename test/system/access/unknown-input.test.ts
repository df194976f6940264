import { Switchboard } from '../../support/daemon/switchboard';

let board: Switchboard;
beforeAll(async () => {
  board = await Switchboard.start();
});
afterAll(() => board.end());

/** Every route of the daemon, from its own description, and those that are not described. */
async function allRoutes(): Promise<[method: string, path: string][]> {
  const { paths } = (await board.ask('/openapi.json')).json as { paths: Record<string, object> };
  const described = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method): [string, string] => [method.toUpperCase(), path.replace('{id}', 'none')]),
  );
  return [...described, ['GET', '/api/v1/openapi.json'], ['GET', '/login']];
}

/** What comes with Co-Pilot's answer to a consent is Co-Pilot's affair (RFC 6749, 4.1.2). */
const TAKES_ANY = '/oauth/callback';
/** Its fields are the faults that the sandbox has; here is none to know them. */
const TAKES_ANY_FIELD = '/api/v1/sandbox/faults';

describe('a query parameter that a route does not know', () => {
  it('is refused by its name on every route, whatever the method', async () => {
    const routes = (await allRoutes()).filter(([, path]) => path !== TAKES_ANY);
    expect(routes.length).toBeGreaterThan(60);
    const answers = [];
    for (const [method, path] of routes) {
      const answer = await board.wire.send(`${path}?limti=5&__proto__=1`, { method, headers: board.bearer });
      const { code, errors = [] } = answer.json as { code: string; errors?: { path: string }[] };
      answers.push([method, path, answer.status, code, errors.map((error) => error.path)]);
    }
    expect(answers).toEqual(
      routes.map(([method, path]) => [method, path, 400, 'invalid_request', ['limti', '__proto__']]),
    );
  });

  it('is refused beside ones that are known, which are named', async () => {
    const answer = await board.ask('/events/export?type=deal.*&typ=deal.deleted');
    expect(answer).toMatchObject({ status: 400, json: { errors: [{ path: 'typ' }] } });
    expect((answer.json as { remedy: string }).remedy).toMatch(
      /type, entity, status, target, since, until, q/,
    );
    expect((await board.ask('/events/export?typ=deal.deleted', { method: 'HEAD' })).status).toBe(400);
  });

  it('tells nobody who may not ask what there is', async () => {
    expect((await board.wire.send('/api/v1/events?limti=5')).status).toBe(401);
  });

  it('is Co-Pilot’s own affair where it sends the browser back', async () => {
    const { status, text } = await board.wire.send(`${TAKES_ANY}?state=none&session_state=1`);
    expect({ status, text }).toEqual({ status: 400, text: expect.stringContaining('state_unknown') });
  });
});

it('a field of the body that a route does not know is refused by its name on every route', async () => {
  const routes = (await allRoutes()).filter(([method, path]) => method !== 'GET' && path !== TAKES_ANY_FIELD);
  expect(routes.length).toBeGreaterThan(30);
  for (const [method, path] of routes) {
    const headers: [string, string][] = [...board.bearer, ['content-type', 'application/json']];
    const answer = await board.wire.send(path, { method, headers, body: '{"limti":5}' });
    expect([method, path, answer.status]).toEqual([method, path, 400]);
    expect(answer.json).toMatchObject({ code: 'invalid_request' });
    expect(answer.text).toContain('limti');
  }
});

describe('an empty body that is said to be JSON', () => {
  const JSON_TYPE: [string, string] = ['content-type', 'application/json'];

  it.each([
    ['/subscription/pause', 200],
    ['/subscription/resume', 200],
    ['/subscription/probe', 200],
    ['/duplicates/dup_00000000000000000000000000/release', 404],
    ['/replays/rpl_00000000000000000000000000/cancel', 404],
    ['/targets/tgt_00000000000000000000000000/pause', 404],
  ])('is none: POST %s is answered %d', async (path, status) => {
    const post = { method: 'POST', headers: [JSON_TYPE] };
    expect((await board.ask(path, post)).status).toBe(status);
    // Nor does it say beforehand how long it is.
    expect((await board.ask(path, { ...post, body: '', chunkBytes: 1 })).status).toBe(status);
  });

  it('is missed where a body is wanted', async () => {
    const answer = await board.ask('/targets', { method: 'POST', headers: [JSON_TYPE] });
    expect(answer).toMatchObject({ status: 400, json: { code: 'invalid_request' } });
  });

  it('is told from one that is no JSON', async () => {
    const answer = await board.ask('/subscription/pause', {
      method: 'POST',
      headers: [JSON_TYPE],
      body: '{',
    });
    expect(answer.status).toBe(400);
  });
});
