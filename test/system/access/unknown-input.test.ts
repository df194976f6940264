import { Switchboard } from '../../support/daemon/switchboard';

let switchboard: Switchboard;
beforeAll(async () => {
  switchboard = await Switchboard.start();
});
afterAll(() => switchboard.end());

interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
}

interface Operation {
  requestBody?: { content: Record<string, { schema: Schema }> };
}

/** The OpenAPI document, as far as it is used here. */
interface Description {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const describedRoutes = async () => (await switchboard.ask('/openapi.json')).json as Description;

/** Every route of the framework: those in openapi.json, openapi.json itself, and the login page. */
async function allRoutes(): Promise<[method: string, path: string][]> {
  const { paths } = await describedRoutes();
  const described = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method): [string, string] => [method.toUpperCase(), path.replace('{id}', 'none')]),
  );
  return [...described, ['GET', '/api/v1/openapi.json'], ['GET', '/login']];
}

/** Co-Pilot may add query parameters to the callback (RFC 6749, 4.1.2). */
const CALLBACK = '/oauth/callback';
/** Excluded because the sandbox validates its fields, and this daemon runs without one. */
const SANDBOX_FAULTS = '/api/v1/sandbox/faults';

describe('an unknown query parameter', () => {
  it('is rejected by name on every route and method', async () => {
    const routes = (await allRoutes()).filter(([, path]) => path !== CALLBACK);
    expect(routes.length).toBeGreaterThan(60);
    const responses = [];
    for (const [method, path] of routes) {
      const response = await switchboard.wire.send(`${path}?limti=5&__proto__=1`, {
        method,
        headers: switchboard.bearer,
      });
      const { code, errors = [] } = response.json as { code: string; errors?: { path: string }[] };
      responses.push([method, path, response.status, code, errors.map((error) => error.path)]);
    }
    expect(responses).toEqual(
      routes.map(([method, path]) => [method, path, 400, 'invalid_request', ['limti', '__proto__']]),
    );
  });

  it('is rejected next to known ones, and the known ones are listed', async () => {
    const response = await switchboard.ask('/events/export?type=deal.*&typ=deal.deleted');
    expect(response).toMatchObject({ status: 400, json: { errors: [{ path: 'typ' }] } });
    expect((response.json as { remedy: string }).remedy).toMatch(
      /type, entity, status, target, since, until, q/,
    );
  });

  it('is rejected in HEAD requests too', async () => {
    expect((await switchboard.ask('/events/export?typ=deal.deleted', { method: 'HEAD' })).status).toBe(400);
  });

  it('reveals nothing without authorization', async () => {
    expect((await switchboard.wire.send('/api/v1/events?limti=5')).status).toBe(401);
  });

  it('is accepted in the callback, whose query Co-Pilot decides', async () => {
    const { status, text } = await switchboard.wire.send(`${CALLBACK}?state=none&session_state=1`);
    expect({ status, text }).toEqual({ status: 400, text: expect.stringContaining('state_unknown') });
  });
});

it('an unknown body field is rejected by name on every route, with the fields that it accepts', async () => {
  const { paths, components } = await describedRoutes();
  const fieldsOf = (method: string, path: string): string[] => {
    const item = paths[path] ?? paths[path.replace('/none', '/{id}')];
    const schema = item?.[method.toLowerCase()]?.requestBody?.content['application/json']?.schema;
    const named = schema?.$ref?.split('/').at(-1);
    return Object.keys((named === undefined ? schema : components.schemas[named])?.properties ?? {});
  };
  let listed = 0;
  const routes = (await allRoutes()).filter(([method, path]) => method !== 'GET' && path !== SANDBOX_FAULTS);
  expect(routes.length).toBeGreaterThan(30);
  for (const [method, path] of routes) {
    const headers: [string, string][] = [...switchboard.bearer, ['content-type', 'application/json']];
    const response = await switchboard.wire.send(path, { method, headers, body: '{"limti":5}' });
    expect([method, path, response.status]).toEqual([method, path, 400]);
    expect(response.json).toMatchObject({ code: 'invalid_request' });
    expect(response.text).toContain('limti');
    const fields = fieldsOf(method, path);
    if (fields.length === 0) continue;
    listed += 1;
    expect(response.text).toContain(`Accepted names: ${fields.join(', ')}.`);
  }
  expect(listed).toBeGreaterThan(15);
});

it('a number of a body that would be rounded is rejected with its digits', async () => {
  const body = `{"name":"many","url":"http://127.0.0.1:9/","events":["deal.*"],"policy":{"concurrency":${10n ** 17n + 1n}}}`;
  const headers: [string, string][] = [['content-type', 'application/json']];
  const { status, json } = await switchboard.ask('/targets', { method: 'POST', headers, body });
  expect({ status, json }).toMatchObject({
    status: 400,
    json: {
      errors: [
        {
          path: 'policy.concurrency',
          message:
            'Invalid input: expected number, received 100000000000000001, which would be rounded: at most 15 digits are kept',
        },
      ],
    },
  });
});

describe('an empty body declared as JSON', () => {
  const JSON_TYPE: [string, string] = ['content-type', 'application/json'];

  it.each([
    ['/subscription/pause', 200],
    ['/subscription/resume', 200],
    ['/subscription/reachability', 200],
    ['/duplicates/dup_00000000000000000000000000/release', 404],
    ['/replays/rpl_00000000000000000000000000/cancel', 404],
    ['/targets/tgt_00000000000000000000000000/pause', 404],
  ])('counts as no body: POST %s responds with %d', async (path, status) => {
    const post = { method: 'POST', headers: [JSON_TYPE] };
    expect((await switchboard.ask(path, post)).status).toBe(status);
    // Sent in chunks, so without a content-length.
    expect((await switchboard.ask(path, { ...post, body: '', chunkBytes: 1 })).status).toBe(status);
  });

  it('is rejected where a body is required', async () => {
    const response = await switchboard.ask('/targets', { method: 'POST', headers: [JSON_TYPE] });
    expect(response).toMatchObject({ status: 400, json: { code: 'invalid_request' } });
  });

  it('is distinguished from a body that is not JSON', async () => {
    const response = await switchboard.ask('/subscription/pause', {
      method: 'POST',
      headers: [JSON_TYPE],
      body: '{',
    });
    expect(response.status).toBe(400);
  });
});
