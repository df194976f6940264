import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { pino } from 'pino';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import type { Journal } from '../../../src/relay/database/journal';
import { AccessApiModule } from '../../../src/relay/api/access-api.module';
import { Body, Controller, Get, Module, Param, Post, Query } from '@nestjs/common';
import { createHttpApplication } from '../../../src/relay/http/http-application';
import { GroundModule } from '../../../src/relay/ground.module';
import { HostAddresses } from '../../../src/relay/network/host-addresses';
import { migrateDatabase, openReadingSource } from '../../../src/relay/database/open-database';
import { Open } from '../../../src/relay/access/access.decorator';
import { PublicAddress } from '../../../src/relay/settings/public-address';
import { Reader } from '../../../src/relay/database/reader';
import { readSettings } from '../../../src/relay/settings/read-settings';
import { RelayError } from '../../../src/relay/ground/relay-error';
import { Sealer } from '../../../src/relay/secrets/sealer';
import { SqliteJournal } from '../../../src/relay/database/journal/sqlite-journal';
import { systemRandom } from '../../../src/relay/ground/random';
import { TimeBounds } from '../../../src/relay/ground/time-bounds';
import { outsideGlobal } from '../../support/outside';
import { ask, type Answer, type Asking } from './ask';

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
      throw new RelayError('taken', 409, 'It is taken.', { errors: [{ path: 'name', message: 'taken' }] });
    if (how === 'schema') note.parse({ name: 1 });
    const request = { headers: { Authorization: 'Bearer upstream-secret' } };
    throw Object.assign(new outsideGlobal.Error('the reason why'), {
      config: request,
      cause: new outsideGlobal.Error('what lay below'),
    });
  }
}

@Module({ controllers: [ProbeController] })
class ProbeModule {}

/** Time that stands still until a test moves it. */
export class FixedClock {
  constructor(public time = Date.UTC(2026, 10, 20, 12)) {}

  now(): number {
    return this.time;
  }

  monotonic(): number {
    return this.time;
  }

  slept(): number {
    return 0;
  }
}

export interface HubOptions {
  /** SWITCHBOARD_TRUSTED_PROXIES. */
  trustedProxies?: string;
  publicUrl?: string;
  host?: string;
  dataDir?: string;
  dashboardFolder?: string;
  clock?: FixedClock;
}

/** A hub with access, health and probes: over a real journal, listening on a free port of the loopback. */
export class Hub {
  private constructor(
    readonly app: NestFastifyApplication,
    readonly journal: Journal,
    readonly source: DataSource,
    private readonly closeGround: () => Promise<void>,
    private readonly lines: string[],
    readonly clock: FixedClock,
    readonly dataDir: string,
    readonly port: number,
  ) {}

  static async start(options: HubOptions = {}): Promise<Hub> {
    const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'switchboard-access-'));
    const settings = readSettings({
      DATA_DIR: dataDir,
      HOST: options.host,
      PORT: '0',
      PUBLIC_URL: options.publicUrl,
      SWITCHBOARD_TRUSTED_PROXIES: options.trustedProxies,
      COPILOT_BASE_URL: 'http://127.0.0.1:9',
      COPILOT_CLIENT_ID: 'client',
      COPILOT_CLIENT_SECRET: 'client-secret',
    });
    const lines: string[] = [];
    // Without the redaction of the daemon's own log: what is not to be logged must not get as far as that.
    const log = pino(
      { level: 'trace', base: null },
      new Writable({ write: (line, _, done) => done(void lines.push(String(line))) }),
    );
    await migrateDatabase(settings.databaseFile);
    const clock = options.clock ?? new FixedClock();
    const bounds = new TimeBounds(clock);
    const journal = await SqliteJournal.open(settings.databaseFile, clock, bounds, log);
    const source = await openReadingSource(settings.databaseFile, []);
    const reader = new Reader(settings.databaseFile);
    const publicAddress = new PublicAddress(settings);
    const sealer = new Sealer(Buffer.alloc(32), systemRandom);
    const ground = {
      settings,
      publicAddress,
      clock,
      bounds,
      random: systemRandom,
      log,
      hosts: new HostAddresses(clock),
      sealer,
      journal,
      source,
      reader,
    };
    const app = await createHttpApplication(
      { module: ProbeModule, imports: [GroundModule.with(ground), AccessApiModule] },
      { publicAddress, log, dashboardFolder: options.dashboardFolder ?? join(dataDir, 'no-dashboard') },
    );
    const fastify = app.getHttpAdapter().getInstance();
    fastify.register(async (scope) => {
      scope.get('/hooks/:key', { config: { open: true } }, () => ({ received: true }));
    });
    await app.listen(0, '127.0.0.1');
    const port = Number(new URL(await app.getUrl()).port);
    publicAddress.listeningOn(port);
    const closeGround = async () => {
      await source.destroy();
      await reader.close();
      await journal.close();
    };
    return new Hub(app, journal, source, closeGround, lines, clock, dataDir, port);
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

  /** Every byte of the database, its log included. */
  get stored(): string {
    const files = readdirSync(this.dataDir).filter((name) => name.startsWith('switchboard.db'));
    return files.map((name) => readFileSync(join(this.dataDir, name), 'latin1')).join('');
  }

  ask(path: string, asking: Asking = {}): Promise<Answer> {
    return ask(this.port, path, asking);
  }

  /** Logs in with the admin token; the headers that carry both halves of the session. */
  async logIn(): Promise<Login> {
    const answer = await this.ask('/api/v1/session', { method: 'POST', json: { token: this.adminToken } });
    return loginOf(answer, z.object({ secret: z.string() }).parse(answer.json).secret);
  }

  /** Opens a login link; the headers that carry both halves of the session. */
  async followLink(link: string): Promise<Login> {
    const answer = await this.ask(link);
    return loginOf(answer, /"switchboard-session", "([\w-]{43})"/.exec(answer.text)?.[1] ?? '');
  }

  /** The path of a new login link. */
  async makeLink(): Promise<string> {
    const answer = await this.ask('/api/v1/login-links', { method: 'POST', headers: this.bearer });
    const { pathname, search } = new URL(z.object({ url: z.string() }).parse(answer.json).url);
    return pathname + search;
  }

  async stop({ keepData = false } = {}): Promise<void> {
    await this.app.close();
    await this.closeGround();
    if (!keepData) rmSync(this.dataDir, { recursive: true });
  }
}

export type Login = Record<'cookie' | 'x-switchboard-request', string>;

const loginOf = (answer: Answer, secret: string): Login => ({
  cookie: cookieOf(answer),
  'x-switchboard-request': secret,
});

/** A request that never came in, as those are asked who are admitted otherwise than by a route. */
export const requestWith = (headers: Record<string, string>) => ({ headers, socket: new Socket() });

/** `name=value` of the cookie that an answer sets. */
export function cookieOf({ status, headers, text }: Answer): string {
  const [cookie] = headers['set-cookie'] ?? [];
  if (cookie === undefined) throw new Error(`No cookie came with ${status}: ${text}`);
  return cookie.split(';')[0]!;
}

/** An empty folder that goes with `dataDir`. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-ui-'));
  mkdirSync(join(folder, 'assets'));
  return folder;
}
