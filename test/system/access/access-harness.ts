import { mkdirSync, mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Body, Controller, Get, Module, Param, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { AccessApiModule } from '../../../src/relay/api/access-api.module';
import { createHttpApplication } from '../../../src/relay/http/http-application';
import { Open } from '../../../src/relay/access/access.decorator';
import { RelayError } from '../../../src/relay/ground/relay-error';
import type { FixedClock } from '../../support/clock';
import { FeatureHarness } from '../../support/daemon/feature-harness';
import type { TestGround } from '../../support/daemon/test-ground';
import { HttpClient, type TestRequest, type TestResponse } from '../../support/http';

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

/** An HTTP server with access control, health checks and test routes, on a free loopback port. */
export class AccessHarness extends FeatureHarness {
  private client!: HttpClient;

  private constructor(private readonly dashboardFolder = 'no-dashboard') {
    super([AccessApiModule]);
  }

  static async start(
    environment: Record<string, string> = {},
    dashboardFolder?: string,
  ): Promise<AccessHarness> {
    const harness = new AccessHarness(dashboardFolder);
    await harness.prepare();
    await harness.open(environment);
    return harness;
  }

  override open(environment: Record<string, string> = {}): Promise<void> {
    return super.open({ PUBLIC_URL: '', ...environment });
  }

  protected override async createApplication({ module, publicAddress, log }: TestGround) {
    const { dashboardFolder, features } = this;
    const app = await createHttpApplication(
      { module: ProbeModule, imports: [module, ...features] },
      { publicAddress, log, dashboardFolder },
    );
    await app.listen(0, '127.0.0.1');
    const port = Number(new URL(await app.getUrl()).port);
    publicAddress.listeningPort = port;
    this.client = new HttpClient(port);
    return app;
  }

  override async close(): Promise<void> {
    this.client.close();
    await super.close();
  }

  get clock(): FixedClock {
    return this.workspace.clock;
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
    return readFileSync(join(this.workspace.dataDir, 'admin.token'), 'utf8').trim();
  }

  get bearer(): { authorization: string } {
    return { authorization: `Bearer ${this.adminToken}` };
  }

  /** Everything that was logged. */
  get logged(): string {
    return this.workspace.logged.join('');
  }

  /** All bytes of the database and its write-ahead log. */
  get stored(): string {
    const { dataDir } = this.workspace;
    const files = readdirSync(dataDir).filter((name) => name.startsWith('switchboard.db'));
    return files.map((name) => readFileSync(join(dataDir, name), 'latin1')).join('');
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
