// The built daemon, connected to and registered at a minimal fake Co-Pilot.
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { program, quiet, readIfExists, startNode, stop, until } from './processes.mjs';
import { threadTimes } from './threads.mjs';

const MAIN = join(import.meta.dirname, '..', '..', 'dist', 'main.js');

/**
 * @param cores the processor cores that it runs on; null: those of this process
 * @param folder the folder in which its data folder is created
 * @param options `main`: the file to run; `flags`: arguments of Node; `settings`: environment variables of every start
 * @returns { pid, base, dataDir, token, hook: { url, secret }, settings, startMs, api(method, path, body), threads(), quiet(),
 *   restart(whileStopped), close() }; `threads` returns the CPU time of each thread in microseconds; `whileStopped` receives the data folder while
 *   the daemon is stopped
 */
export async function connectedDaemon(
  cores,
  folder,
  { main = MAIN, flags: extraFlags = [], settings: baseSettings = {} } = {},
) {
  const copilot = await startFakeCopilot();
  const dataDir = join(folder, `data-${process.hrtime.bigint()}`);
  const threadLog = `${dataDir}.threads`;
  const ownSettings = {
    COPILOT_BASE_URL: copilot.url,
    COPILOT_CLIENT_ID: 'bench',
    COPILOT_CLIENT_SECRET: 'bench-secret',
    LOG_LEVEL: 'info',
    ...baseSettings,
  };
  let port = '0';
  const start = async () => {
    // BENCH_NODE_FLAGS can profile a run, for example with --cpu-prof.
    const profiling = process.env.BENCH_NODE_FLAGS?.split(' ') ?? [];
    const flags = ['--require', program('name-threads.cjs'), ...profiling, ...extraFlags];
    rmSync(threadLog, { force: true });
    const started = performance.now();
    const { child } = await startNode(
      cores,
      [...flags, main, 'serve', '--port', port, '--data-dir', dataDir],
      (line) => line.includes('"listening"'),
      { ...ownSettings, THREAD_LOG: threadLog },
    );
    return { child, startMs: performance.now() - started };
  };
  const first = await start();
  let { child } = first;
  const [base] = readIfExists(join(dataDir, 'address')).split('\n');
  port = new URL(base).port;
  const token = baseSettings.SWITCHBOARD_ADMIN_TOKEN ?? readIfExists(join(dataDir, 'admin.token'));
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
    const response = await fetch(address, { headers: sent, redirect: 'manual' });
    cookie ||= response.headers.get('set-cookie')?.split(';')[0] ?? '';
    address = new URL(response.headers.get('location'), address).href;
  }
  await until(async () => (await api('GET', '/subscription')).state === 'active', 'the registration');
  const daemon = {
    pid: child.pid,
    base,
    dataDir,
    token,
    hook: copilot.webhook(),
    settings: ownSettings,
    startMs: first.startMs,
    api,
  };
  daemon.threads = () => threadTimes(child.pid, threadLog);
  daemon.quiet = () => quiet(child.pid);
  daemon.restart = async (whileStopped) => {
    await stop(child);
    await whileStopped?.(dataDir);
    const next = await start();
    child = next.child;
    Object.assign(daemon, { pid: child.pid, startMs: next.startMs });
  };
  daemon.close = async () => {
    await stop(child);
    await copilot.close();
  };
  return daemon;
}

/**
 * Another daemon on the database of a connected one.
 * @returns { pid, hook, close() }
 */
export async function startReceiving(cores, folder, { hook, settings }) {
  const dataDir = join(folder, `data-${process.hrtime.bigint()}`);
  const args = [MAIN, 'serve', '--port', '0', '--data-dir', dataDir];
  const { child } = await startNode(cores, args, (line) => line.includes('"listening"'), settings);
  const url = new URL(hook.url);
  url.port = new URL(readIfExists(join(dataDir, 'address')).split('\n')[0]).port;
  return { pid: child.pid, hook: { ...hook, url: url.href }, close: () => stop(child) };
}

async function startFakeCopilot() {
  let webhook = null;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      const url = new URL(request.url, 'http://co-pilot');
      if (url.pathname === '/oauth/authorize') {
        const callback = new URL(url.searchParams.get('redirect_uri'));
        callback.search = new URLSearchParams({ code: 'code', state: url.searchParams.get('state') });
        response.writeHead(302, { location: callback.href }).end();
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
