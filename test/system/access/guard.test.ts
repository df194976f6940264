import { RelayError } from '../../../src/relay/ground/relay-error';
import { AccessService } from '../../../src/relay/access/access.service';
import { AccessHarness, requestWith, type Login } from './access-harness';

let hub: AccessHarness;
let login: Login;
let cookie: string;
beforeAll(async () => {
  hub = await AccessHarness.start();
  login = await hub.logIn();
  ({ cookie } = login);
});
afterAll(() => hub.dispose());

const change = (headers: Record<string, string>) =>
  hub.ask('/api/v1/probe', { method: 'POST', json: { name: 'x' }, headers });
const socket = (headers: Record<string, string>) =>
  hub.app.get(AccessService).admit(requestWith(headers), 'socket');
const codeOf = async (headers: Record<string, string>) => {
  const admitted = await socket(headers);
  return admitted instanceof RelayError ? admitted.code : admitted.via;
};
const dashboard = () => ({ ...login, origin: hub.origin });

describe('without a login', () => {
  it('a route that is not open is rejected, with a remedy', async () => {
    for (const method of ['GET', 'POST']) {
      const response = await hub.ask('/api/v1/probe', { method });
      expect(response.status).toBe(401);
      expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
      expect(response.headers['www-authenticate']).toBe('Bearer realm="switchboard"');
      expect(response.json).toEqual({
        type: 'about:blank',
        title: 'Unauthorized',
        status: 401,
        code: 'unauthorized',
        detail: expect.any(String),
        remedy: expect.stringContaining('switchboard login-link'),
      });
    }
  });

  it('an open route responds', async () => {
    expect(await hub.ask('/api/v1/open')).toMatchObject({ status: 200, json: { open: true } });
  });

  it.each(['Bearer', 'Bearer ', 'Bearer wrong', 'Basic YTpi', 'Bearer undefined'])(
    '%j is rejected',
    async (authorization) => {
      expect((await hub.ask('/api/v1/probe', { headers: { authorization } })).status).toBe(401);
    },
  );

  it('an invented session is rejected', async () => {
    const [name] = cookie.split('=');
    for (const token of ['', 'x', 'A'.repeat(43), "' OR 1=1 --", cookie.split('=')[1]!.slice(0, -1)]) {
      const response = await hub.ask('/api/v1/probe', { headers: { cookie: `${name}=${token}` } });
      expect(response.json).toMatchObject({ code: 'unauthorized' });
    }
  });
});

describe('with the admin token', () => {
  it('reads and changes need neither Origin, Host nor the request header', async () => {
    const foreign = { ...hub.bearer, host: 'evil.example', origin: 'https://evil.example' };
    expect((await hub.ask('/api/v1/probe', { headers: foreign })).status).toBe(200);
    expect((await change(foreign)).status).toBe(201);
    expect((await change(hub.bearer)).status).toBe(201);
  });

  it('the name of the scheme is case-insensitive', async () => {
    const response = await hub.ask('/api/v1/probe', {
      headers: { authorization: `bearer ${hub.adminToken}` },
    });
    expect(response.status).toBe(200);
  });

  it('a wrong token is rejected even with a valid session', async () => {
    expect((await change({ ...dashboard(), authorization: 'Bearer wrong' })).status).toBe(401);
  });
});

describe('with a session', () => {
  it('a read needs only its two halves', async () => {
    expect((await hub.ask('/api/v1/probe', { headers: login })).status).toBe(200);
  });

  it('a change from our own page is accepted', async () => {
    expect((await change(dashboard())).status).toBe(201);
  });

  it('a change is rejected without our Origin', async () => {
    const { origin: _, ...rest } = dashboard();
    expect(await change(rest)).toMatchObject({ status: 403, json: { code: 'origin_rejected' } });
    const others = [
      'null',
      'https://evil.example',
      `http://localhost.evil.example:${hub.port}`,
      'http://127.0.0.1:1',
      `https://127.0.0.1:${hub.port}`,
      // One of our hosts, but not the one that the request addresses.
      'http://127.0.0.1',
      `http://[::1]:${hub.port}`,
    ];
    for (const origin of others) {
      expect(await change({ ...rest, origin })).toMatchObject({
        status: 403,
        json: { code: 'origin_rejected' },
      });
    }
  });

  it('the cookie alone, which every port of the host can read, allows neither reads nor changes', async () => {
    const other = await hub.logIn();
    for (const half of [
      undefined,
      '',
      '1',
      'x'.repeat(43),
      other['x-switchboard-request'],
      cookie.split('=')[1],
    ]) {
      const headers = {
        cookie,
        origin: hub.origin,
        ...(half !== undefined && { 'x-switchboard-request': half }),
      };
      const rejection = { status: 401, json: { code: 'unauthorized' } };
      expect(await hub.ask('/api/v1/probe', { headers })).toMatchObject(rejection);
      expect(await change(headers)).toMatchObject(rejection);
      expect(await codeOf({ ...headers, host: hub.host, upgrade: 'websocket' })).toBe('unauthorized');
    }
  });

  it('a cookie of the same name from another port does not log anybody out', async () => {
    const [name, value] = cookie.split('=');
    for (const planted of [
      `${name}=${'A'.repeat(43)}; ${name}=${value}`,
      `${name}=${value}; ${name}=x; ${name}=`,
    ])
      expect((await change({ ...dashboard(), cookie: planted })).status).toBe(201);
  });

  it('a foreign host name that resolves to our address is rejected, for reads and changes', async () => {
    for (const host of [
      'evil.example',
      `evil.example:${hub.port}`,
      `127.0.0.1.evil.example:${hub.port}`,
      '127.0.0.1',
    ]) {
      const rebound = { ...dashboard(), host, origin: `http://${host}` };
      const read = await hub.ask('/api/v1/probe', { headers: rebound });
      expect(read).toMatchObject({
        status: 403,
        json: { code: 'host_rejected', remedy: expect.any(String) },
      });
      expect(await change(rebound)).toMatchObject({ status: 403, json: { code: 'host_rejected' } });
    }
  });

  it.each(['localhost', 'LOCALHOST', '127.0.0.1', '[::1]'])('%s with our port is accepted', async (name) => {
    const host = `${name}:${hub.port}`;
    const origin = `http://${host.toLowerCase()}`;
    expect((await change({ ...dashboard(), host, origin })).status).toBe(201);
  });
});

describe('the handshake of a socket', () => {
  it('is admitted from our page, with the session and its expiry', async () => {
    expect(await socket({ ...dashboard(), host: hub.host, upgrade: 'websocket' })).toEqual({
      via: 'session',
      credentialId: expect.stringMatching(/^ses_[0-9a-z]{26}$/),
      name: null,
      scopes: ['read', 'reveal', 'operate', 'listen', 'receive', 'backup', 'admin'],
      expiresAt: hub.clock.now() + 30 * 86_400_000,
      mask: null,
    });
  });

  it('is accepted for long polling without an Origin, as browsers send it', async () => {
    expect(await codeOf({ ...login, host: hub.host })).toBe('session');
  });

  it('is rejected from another origin', async () => {
    expect(await codeOf({ ...login, host: hub.host, origin: 'https://evil.example' })).toBe(
      'origin_rejected',
    );
    expect(await codeOf({ ...login, host: hub.host, upgrade: 'websocket' })).toBe('origin_rejected');
    expect(await codeOf({ ...login, host: 'evil.example', origin: 'http://evil.example' })).toBe(
      'host_rejected',
    );
    expect(await codeOf({ host: hub.host, origin: hub.origin })).toBe('unauthorized');
  });

  it('needs only the token, if one is sent', async () => {
    expect(await codeOf({ ...hub.bearer, host: 'evil.example', upgrade: 'websocket' })).toBe('token');
  });
});

describe('behind a public https URL', () => {
  let behind: AccessHarness;
  let session: Login;
  beforeAll(async () => {
    behind = await AccessHarness.start({ PUBLIC_URL: 'https://hub.example' });
    session = await behind.logIn();
  });
  afterAll(() => behind.dispose());
  const ask = (host: string, origin: string) =>
    behind.ask('/api/v1/probe', {
      method: 'POST',
      json: { name: 'x' },
      headers: { ...session, host, origin },
    });

  it('that address is accepted, with or without its default port', async () => {
    expect((await ask('hub.example', 'https://hub.example')).status).toBe(201);
    expect((await ask('hub.example:443', 'https://hub.example')).status).toBe(201);
  });

  it('the same name over plain http is rejected', async () => {
    expect((await ask('hub.example', 'http://hub.example')).json).toMatchObject({ code: 'origin_rejected' });
    expect((await ask('hub.example:80', 'https://hub.example')).json).toMatchObject({
      code: 'host_rejected',
    });
  });
});
