import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Daemon } from '../daemon/daemon';
import { killWithParent } from '../daemon/kill-with-parent';
import { FakeCopilot, SIGNATURE_HEADER } from '../fakes/copilot';
import { freePort } from '../free-port';
import { until } from '../until';
import { adapt, certificateFiles, DEPLOY, environmentOf, type Places, type Recipe } from './recipes';

/** Groups of those whom the service for logins knows, by the value of their cookie. */
const GROUPS: Record<string, string> = { ann: 'users,admins', otto: 'users,dev' };

interface Answer {
  status: number;
  json: Record<string, unknown> | null;
  text: string;
}

/** What is asked for, as nginx says it to the service for logins, or as Caddy and Traefik do. */
const forwardedTo = (headers: IncomingHttpHeaders) => ({
  'x-original-method': headers['x-forwarded-method'],
  'x-original-url': `${String(headers['x-forwarded-proto'])}://${String(headers['x-forwarded-host'])}${String(headers['x-forwarded-uri'])}`,
  ...(headers as { 'x-original-method'?: string; 'x-original-url'?: string }),
});

/** The built daemon behind the real program of a recipe, with https on localhost. */
export class ProxiedHub {
  private constructor(
    readonly daemon: Daemon,
    private readonly places: Places,
    private readonly program: ChildProcess,
    private readonly users: Server,
  ) {}

  static async start(recipe: Recipe): Promise<ProxiedHub> {
    const folder = mkdtempSync(join(tmpdir(), `switchboard-${recipe.program}-`));
    const ports = { proxy: await freePort(), daemon: await freePort(), users: await freePort() };
    const places: Places = { ports, folder, secret: 'known-to-proxy-and-daemon' };
    const texts: Record<string, string> = { ...certificateFiles, ...recipe.extra?.(places) };
    for (const [source, name] of Object.entries(recipe.files))
      texts[name] = adapt(readFileSync(join(DEPLOY, source), 'utf8'), places);
    for (const [name, text] of Object.entries(texts)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const env = { ...process.env, ...environmentOf(places) };
    if (recipe.check) {
      const { status, stderr } = spawnSync(recipe.program, recipe.check, {
        cwd: folder,
        env,
        encoding: 'utf8',
      });
      if (status !== 0) throw new Error(stderr);
    }
    const users = createServer((incoming, response) => {
      const name = /proxy_user=(\w+)/.exec(incoming.headers.cookie ?? '')?.[1] ?? '';
      const groups = GROUPS[name];
      const { 'x-original-method': method, 'x-original-url': url } = forwardedTo(incoming.headers);
      const isTold = method !== undefined && url.startsWith(`https://localhost:${ports.proxy}/`);
      if (groups === undefined || !isTold) response.writeHead(401).end();
      else response.writeHead(200, { 'Remote-User': name, 'Remote-Groups': groups }).end();
    }).listen(ports.users, '127.0.0.1');
    const daemon = await Daemon.startConnected({
      upstream: await FakeCopilot.start(),
      environment: {
        PORT: String(ports.daemon),
        PUBLIC_URL: `https://localhost:${ports.proxy}`,
        SWITCHBOARD_TRUSTED_PROXIES: '127.0.0.1/32',
        SWITCHBOARD_AUTH_USER_HEADER: 'Remote-User',
        SWITCHBOARD_AUTH_ROLE_HEADER: 'Remote-Groups',
        SWITCHBOARD_AUTH_ROLES: 'admins=admin,dev=operator',
        SWITCHBOARD_AUTH_SECRET_HEADER: `X-Proxy-Secret: ${places.secret}`,
      },
    });
    const program = spawn(recipe.program, recipe.start, {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const guard = killWithParent(program.pid!);
    program.once('exit', () => guard.kill());
    let output = '';
    for (const stream of [program.stdout, program.stderr]) stream.on('data', (text) => (output += text));
    const hub = new ProxiedHub(daemon, places, program, users);
    await until('the proxy answers', async () => {
      if (program.exitCode !== null) throw new Error(output);
      return (await hub.ask('/healthz').catch(() => null))?.status === 200;
    });
    return hub;
  }

  /** As a page of the dashboard sends it, for a person who is logged in at the proxy. */
  pageHeaders(name: string): Record<string, string> {
    return {
      cookie: `proxy_user=${name}`,
      authorization: `Basic ${Buffer.from(`${name}:password`).toString('base64')}`,
      origin: this.origin,
      'x-switchboard-request': 'none',
    };
  }

  /** @throws if the connection breaks before the answer, as it may when a body is refused before its end */
  ask(path: string, headers: Record<string, string> = {}, body?: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const outgoing = this.open(path, headers, body === undefined ? 'GET' : 'POST');
      outgoing.on('upgrade', (_, socket) => {
        socket.destroy();
        resolve({ status: 101, json: null, text: '' });
      });
      outgoing.on('response', (incoming) => {
        let text = '';
        incoming.on('data', (part: Buffer) => (text += part.toString()));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const isJson = /json/.test(incoming.headers['content-type'] ?? '');
          const json = isJson ? (JSON.parse(text) as Record<string, unknown>) : null;
          resolve({ status: incoming.statusCode!, json, text });
        });
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  /** The handshake of a live connection. */
  upgrade(headers: Record<string, string>): Promise<Answer> {
    return this.ask('/socket.io/?EIO=4&transport=websocket', {
      ...headers,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    });
  }

  /** A notification with a valid signature, at the address that Co-Pilot was given. */
  notify(body: Buffer, headers: Record<string, string> = {}): Promise<Answer> {
    const { upstream } = this.daemon;
    const [webhook] = upstream.webhooks.values();
    const signature = upstream.sign(webhook!, body);
    return this.ask(
      new URL(webhook!.url).pathname,
      { ...headers, [SIGNATURE_HEADER]: signature, 'content-type': 'application/json' },
      body,
    );
  }

  async close(): Promise<void> {
    this.program.kill('SIGKILL');
    if (this.program.exitCode === null && this.program.signalCode === null) await once(this.program, 'exit');
    this.users.close();
    await this.daemon.close();
    await this.daemon.upstream.close();
    rmSync(this.places.folder, { recursive: true, force: true });
  }

  private get origin(): string {
    return `https://localhost:${this.places.ports.proxy}`;
  }

  private open(path: string, headers: Record<string, string>, method: string) {
    return request(`${this.origin}${path}`, {
      method,
      headers,
      agent: false,
      ca: readFileSync(join(__dirname, '../../fixtures/certificates/authority.pem')),
    });
  }
}
