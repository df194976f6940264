import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import type { Journal } from '../../../src/relay/database/journal/journal';
import { AccessApiModule } from '../../../src/relay/api/access-api.module';
import { Body, Controller, Get, Module, Param, Post, Query } from '@nestjs/common';
import { createHttpApplication } from '../../../src/relay/http/http-application';
import { Open } from '../../../src/relay/access/access.decorator';
import { RelayError } from '../../../src/relay/ground/relay-error';
import { FixedClock } from '../clock';
import { openTestGround, type TestGround } from './test-ground';
import { HttpClient, type TestRequest, type TestResponse } from '../http';

const note = z.strictObject({ name: z.string(), sizes: z.array(z.number()).optional() });

/** One route of each kind, and routes that fail. */
@Controller()
class ProbeController {
  @Get('api/v1/probe')
  read() {
    return { read: true };
  }

  @Post('api/v1/probe')
  change(@Body({ schema: note }) body: unknown) {
    return body;
  }

  @Open()
  @Get('api/v1/open')
  open() {
    return { open: true };
  }

  @Get('api/v1/named/:name')
  named(@Param('name') name: string) {
    return { length: name.length };
  }

  @Open()
  @Get('api/v1/fails/:how')
  fail(@Param('how') how: string, @Query() _query: unknown) {
    if (how === 'away')
      throw new RelayError('storage_failed', 503, 'The disk is full.', { remedy: 'Make room.' });
    if (how === 'taken')
      throw new RelayError('conflict', 409, 'It is taken.', { errors: [{ path: 'name', message: 'taken' }] });
    if (how === 'schema') note.parse({ name: 1 });
    const request = { headers: { Authorization: 'Bearer upstream-secret' } };
    throw Object.assign(new Error('the reason why'), {
      config: request,
      cause: new Error('what lay below'),
    });
  }
}

@Module({ controllers: [ProbeController] })
class ProbeModule {}

export interface AccessHarnessOptions {
  /** SWITCHBOARD_TRUSTED_PROXIES. */
  trustedProxies?: string;
  publicUrl?: string;
  name?: string;
  host?: string;
  dataDir?: string;
  dashboardFolder?: string;
  clock?: FixedClock;
}

/** An HTTP server with access control, health checks and test routes, on a real journal and a free loopback port. */
export class AccessHarness {
  private constructor(
    readonly app: NestFastifyApplication,
    private readonly ground: TestGround,
    private readonly lines: string[],
    readonly clock: FixedClock,
    readonly dataDir: string,
    private readonly client: HttpClient,
  ) {}

  static async start(options: AccessHarnessOptions = {}): Promise<AccessHarness> {
    const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'switchboard-access-'));
    const lines: string[] = [];
    const clock = options.clock ?? new FixedClock();
    const ground = await openTestGround(
      {
        DATA_DIR: dataDir,
        HOST: options.host,
        PORT: '0',
        PUBLIC_URL: options.publicUrl,
        SWITCHBOARD_NAME: options.name,
        SWITCHBOARD_TRUSTED_PROXIES: options.trustedProxies,
      },
      clock,
      lines,
    );
    const { publicAddress, log } = ground;
    const app = await createHttpApplication(
      { module: ProbeModule, imports: [ground.module, AccessApiModule] },
      { publicAddress, log, dashboardFolder: options.dashboardFolder ?? join(dataDir, 'no-dashboard') },
    );
    await app.listen(0, '127.0.0.1');
    const port = Number(new URL(await app.getUrl()).port);
    publicAddress.listeningPort = port;
    return new AccessHarness(app, ground, lines, clock, dataDir, new HttpClient(port));
  }

  get journal(): Journal {
    return this.ground.journal;
  }

  get source(): DataSource {
    return this.ground.source;
  }

  get port(): number {
    return this.client.port;
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  get origin(): string {
    return `http://${this.host}`;
  }

  get adminToken(): string {
    return readFileSync(join(this.dataDir, 'admin.token'), 'utf8').trim();
  }

  get bearer(): { authorization: string } {
    return { authorization: `Bearer ${this.adminToken}` };
  }

  /** Everything that was logged. */
  get logged(): string {
    return this.lines.join('');
  }

  /** All bytes of the database and its write-ahead log. */
  get stored(): string {
    const files = readdirSync(this.dataDir).filter((name) => name.startsWith('switchboard.db'));
    return files.map((name) => readFileSync(join(this.dataDir, name), 'latin1')).join('');
  }

  ask(path: string, request: TestRequest = {}): Promise<TestResponse> {
    return this.client.send(path, request);
  }

  /** Logs in with the admin token. @returns the headers of the session */
  async logIn(): Promise<Login> {
    const response = await this.ask('/api/v1/session', { method: 'POST', json: { token: this.adminToken } });
    return loginOf(response, z.object({ secret: z.string() }).parse(response.json).secret);
  }

  /** Opens a login link. @returns the headers of the session */
  async followLink(link: string): Promise<Login> {
    const response = await this.ask(link);
    return loginOf(response, /"switchboard-session", "([\w-]{43})"/.exec(response.text)?.[1] ?? '');
  }

  /** Creates a login link. @returns its path */
  async makeLink(): Promise<string> {
    const response = await this.ask('/api/v1/login-links', { method: 'POST', headers: this.bearer });
    const { pathname, search } = new URL(z.object({ url: z.string() }).parse(response.json).url);
    return pathname + search;
  }

  async stop({ keepData = false } = {}): Promise<void> {
    this.client.close();
    await this.app.close();
    await this.ground.close();
    if (!keepData) rmSync(this.dataDir, { recursive: true });
  }
}

export type Login = Record<'cookie' | 'x-switchboard-request', string>;

const loginOf = (response: TestResponse, secret: string): Login => ({
  cookie: cookieOf(response),
  'x-switchboard-request': secret,
});

/** A request object for access checks outside of routes. */
export const requestWith = (headers: Record<string, string>) => ({
  headers,
  headersDistinct: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
  socket: new Socket(),
});

/** `name=value` of the cookie that a response sets. */
export function cookieOf({ status, headers, text }: TestResponse): string {
  const [cookie] = headers['set-cookie'] ?? [];
  if (cookie === undefined) throw new Error(`The response ${status} set no cookie: ${text}`);
  return cookie.split(';')[0]!;
}

/** A folder for a dashboard build. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-ui-'));
  mkdirSync(join(folder, 'assets'));
  return folder;
}
