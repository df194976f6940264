// The built daemon, connected and registered at a Co-Pilot that does just enough for it.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { readIfThere, startNode, stop, until } from './processes.mjs';

const MAIN = join(import.meta.dirname, '..', 'dist', 'main.js');

/**
 * @param options `main`: the file that starts it; `flags` of Node; `settings` of every start
 * @returns { pid, base, hook: { url, secret }, startMs, api(method, path, body), restart(meanwhile), close() }; `meanwhile` gets the
 *   folder of the data while nothing runs on it, and may return settings for the next start
 */
export async function connectedDaemon(
  core,
  folder,
  { main = MAIN, flags: more = [], settings: always = {} } = {},
) {
  const copilot = await coPilot();
  const dataDir = join(folder, `data-${process.hrtime.bigint()}`);
  let port = '0';
  const start = async (settings = {}) => {
    // Such as --cpu-prof.
    const flags = [...(process.env.BENCH_NODE_FLAGS?.split(' ') ?? []), ...more];
    const started = performance.now();
    const { child } = await startNode(
      core,
      [...flags, main, 'serve', '--port', port, '--data-dir', dataDir],
      (line) => line.includes('"listening"'),
      {
        COPILOT_BASE_URL: copilot.url,
        COPILOT_CLIENT_ID: 'bench',
        COPILOT_CLIENT_SECRET: 'bench-secret',
        LOG_LEVEL: 'info',
        ...always,
        ...settings,
      },
    );
    return { child, startMs: performance.now() - started };
  };
  const begun = await start();
  let { child } = begun;
  const [base] = readIfThere(join(dataDir, 'address')).split('\n');
  port = new URL(base).port;
  const token = readIfThere(join(dataDir, 'admin.token'));
  const headers = { authorization: `Bearer ${token}` };
  const api = async (method, path, body) => {
    const init =
      body === undefined
        ? {}
        : { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
    return (await fetch(`${base}/api/v1${path}`, { method, headers, ...init })).json();
  };
  let address = `${base}/oauth/connect`;
  let cookie = '';
  for (let step = 0; step < 3; step += 1) {
    const sent = step === 0 ? headers : { cookie };
    const answer = await fetch(address, { headers: sent, redirect: 'manual' });
    cookie ||= answer.headers.get('set-cookie')?.split(';')[0] ?? '';
    address = new URL(answer.headers.get('location'), address).href;
  }
  await until(async () => (await api('GET', '/subscription')).state === 'active', 'the registration');
  const daemon = { pid: child.pid, base, hook: copilot.webhook(), startMs: begun.startMs, api };
  daemon.restart = async (meanwhile) => {
    await stop(child);
    const again = await start(await meanwhile(dataDir));
    child = again.child;
    Object.assign(daemon, { pid: child.pid, startMs: again.startMs });
  };
  daemon.close = async () => {
    await stop(child);
    await copilot.close();
  };
  return daemon;
}

async function coPilot() {
  let webhook = null;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      const url = new URL(request.url, 'http://co-pilot');
      if (url.pathname === '/oauth/authorize') {
        const back = new URL(url.searchParams.get('redirect_uri'));
        back.search = new URLSearchParams({ code: 'code', state: url.searchParams.get('state') });
        response.writeHead(302, { location: back.href }).end();
      } else if (url.pathname === '/oauth/token') {
        json(response, 200, {
          access_token: 'access',
          token_type: 'Bearer',
          expires_in: 3600,
          refresh_token: 'refresh',
          scope: 'webhooks',
        });
      } else if (request.method === 'POST') {
        webhook = JSON.parse(body);
        json(response, 201, { ...webhook, webhook_id: 'wh_1', secret: undefined });
      } else {
        json(response, 200, { data: [] });
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    webhook: () => webhook,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

const json = (response, status, value) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
