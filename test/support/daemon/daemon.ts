import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Subscription } from '../../../src/contract/subscription';
import type { TargetCreated } from '../../../src/contract/target';
import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';
import { cookiesOf } from '../cookies';
import type { FakeCopilot } from '../fakes/copilot';
import type { FakeWebhook } from '../fakes/copilot-webhooks';
import { freePort } from '../free-port';
import { MainProcess, type ProcessOptions } from './main-process';
import { until } from '../until';
import { assertDescribed } from '../jest/described-answers';

/** That of one that hangs: the end of one that fails is seen. */
const START_TIMEOUT_MS = 120_000;

export interface DaemonOptions extends ProcessOptions {
  /** The Co-Pilot that the daemon connects to. The daemon does not close it. */
  upstream: FakeCopilot;
  /** Additional settings; they override the defaults. */
  environment?: Readonly<Record<string, string>>;
  /** Existing data; it is deleted in the end. Defaults to a new folder. */
  dataDir?: string;
}

export interface ApiResponse {
  status: number;
  headers: Headers;
  /** Parsed JSON, or null for an empty body. */
  body: unknown;
}

/**
 * The built daemon (`node dist/main.js serve`) as a separate process on loopback, with a temporary data folder. It
 * keeps its port and its data across restarts.
 *
 *     const daemon = await Daemon.startConnected({ upstream });
 *     …
 *     await daemon.close();
 *
 * `close` kills the process and deletes the folder, whatever their state. If the test process dies first, so does the
 * daemon.
 */
export class Daemon {
  readonly dataDir: string;
  private readonly process: MainProcess;
  private address: string | null = null;

  private constructor(
    private readonly options: DaemonOptions,
    port: number,
  ) {
    const { upstream, environment } = options;
    this.dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'switchboard-daemon-'));
    const settings = {
      HOST: '127.0.0.1',
      PORT: String(port),
      DATA_DIR: this.dataDir,
      LOG_LEVEL: 'warn',
      COPILOT_BASE_URL: upstream.baseUrl,
      COPILOT_CLIENT_ID: upstream.clientId,
      COPILOT_CLIENT_SECRET: upstream.clientSecret,
      ...environment,
    };
    this.process = new MainProcess('the daemon', ['serve'], this.dataDir, settings, options);
  }

  /** Starts it and waits until it listens. It is not connected to Co-Pilot yet. */
  static async start(options: DaemonOptions): Promise<Daemon> {
    const daemon = new Daemon(options, await freePort());
    try {
      await daemon.run();
      return daemon;
    } catch (error) {
      await daemon.close();
      throw error;
    }
  }

  /** Starts it, connects it and waits until its webhook is registered. */
  static async startConnected(options: DaemonOptions): Promise<Daemon> {
    const daemon = await Daemon.start(options);
    try {
      await daemon.connect();
      return daemon;
    } catch (error) {
      await daemon.close();
      throw error;
    }
  }

  /** The Co-Pilot that it connects to. */
  get upstream(): FakeCopilot {
    return this.options.upstream;
  }

  /** Without a trailing slash. It is the same for all runs. */
  get url(): string {
    if (this.address === null) throw new Error('The daemon is not listening yet.');
    return this.address;
  }

  /** @throws if it is not running */
  get pid(): number {
    return this.process.pid;
  }

  get isRunning(): boolean {
    return this.process.isRunning;
  }

  /** Of the last process that ended; null if a signal ended it. */
  get exitCode(): number | null {
    return this.process.exitCode;
  }

  /** The end of what all runs wrote to standard output and standard error. */
  get output(): string {
    return this.process.output;
  }

  get databaseFile(): string {
    return join(this.dataDir, 'switchboard.db');
  }

  /** The operator's token for the API. */
  get token(): string {
    const given = this.options.environment?.['SWITCHBOARD_ADMIN_TOKEN'];
    if (given !== undefined) return given;
    return readFileSync(join(this.dataDir, 'admin.token'), 'utf8').trim();
  }

  /** The webhook that Co-Pilot has for this daemon. */
  get webhook(): FakeWebhook {
    const { port } = new URL(this.url);
    const found = [...this.options.upstream.webhooks.values()].find(({ url }) => new URL(url).port === port);
    if (found === undefined) throw new Error('The daemon has registered no webhook.');
    return found;
  }

  /** Authorizes at Co-Pilot as the operator does, then waits for the registration. */
  async connect(): Promise<void> {
    const begun = await fetch(`${this.url}/oauth/connect`, {
      headers: { authorization: `Bearer ${this.token}` },
      redirect: 'manual',
    });
    const callback = await this.options.upstream.consent(locationOf(begun));
    const ended = await fetch(`${this.url}${callback.pathname}${callback.search}`, {
      headers: { cookie: cookiesOf(begun) },
      redirect: 'manual',
    });
    if (new URL(locationOf(ended), this.url).pathname !== '/connection')
      throw new Error(`The callback led to ${locationOf(ended)}.\n${this.output}`);
    await until('webhook registered', async () => {
      const { state } = await this.get<Subscription>('/subscription');
      return state === 'active';
    });
  }

  /** Calls the REST API with the admin token; `path` is relative to `/api/v1`. */
  async request(method: string, path: string, body?: unknown): Promise<ApiResponse> {
    const response = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const { status, headers } = response;
    const json: unknown = text === '' ? null : JSON.parse(text);
    const answer = { status, headers: Object.fromEntries(headers), json, text, body: Buffer.from(text) };
    await assertDescribed(method, `/api/v1${path}`, answer);
    return { status, headers, body: json };
  }

  /**
   * The body of a GET request to the REST API.
   * @throws if the status is not 200, or if no daemon leads for longer than a take-over
   */
  async get<T>(path: string): Promise<T> {
    let response!: ApiResponse;
    await until('a daemon leads', async () => {
      response = await this.request('GET', path);
      return !isWithoutLeader(response);
    });
    const { status, body } = response;
    if (status !== 200) throw new Error(`GET /api/v1${path} returned ${status}: ${JSON.stringify(body)}`);
    return body as T;
  }

  /** Creates a target that accepts all events. */
  async addTarget(name: string, url: string, more: object = {}): Promise<TargetCreated> {
    const { status, body } = await this.request('POST', '/targets', { name, url, ...more });
    if (status !== 201) throw new Error(`POST /api/v1/targets returned ${status}: ${JSON.stringify(body)}`);
    return body as TargetCreated;
  }

  /** The stored bytes of an event, or null if the id is unknown. */
  async eventBody(id: string): Promise<Buffer | null> {
    const response = await fetch(`${this.url}/api/v1/events/${id}/body`, {
      headers: { authorization: `Bearer ${this.token}` },
    });
    return response.status === 200 ? Buffer.from(await response.arrayBuffer()) : null;
  }

  /** Reads rows of its database file, even while it runs. */
  rows<Row>(sql: string, ...parameters: unknown[]): Row[] {
    const connection = new sqliteDriver(this.databaseFile, { readonly: true });
    try {
      return connection.prepare<unknown[], Row>(sql).all(...parameters);
    } finally {
      connection.close();
    }
  }

  /** Runs SQL on its database file. The daemon must be stopped. */
  alterDatabase(sql: string): void {
    if (this.isRunning) throw new Error('Stop the daemon first: it locks its database.');
    const connection = new sqliteDriver(this.databaseFile);
    try {
      connection.exec(sql);
    } finally {
      connection.close();
    }
  }

  /** Sends SIGKILL, so that it cannot clean up. */
  kill(): Promise<void> {
    return this.process.kill();
  }

  /** Sends SIGTERM. @returns its exit code @throws if a signal ended it, with the end of its output */
  stop(): Promise<number> {
    return this.process.stop();
  }

  /** Starts it again on the same data and the same port, and waits until it listens. */
  restart(): Promise<void> {
    return this.run();
  }

  /** Starts it again without waiting, so that a test can kill it during the start. */
  restartWithoutWaiting(): () => void {
    rmSync(join(this.dataDir, 'address'), { force: true });
    return this.process.start();
  }

  async close(): Promise<void> {
    await this.kill();
    rmSync(this.dataDir, { recursive: true, force: true, maxRetries: 5 });
  }

  private async run(): Promise<void> {
    const file = join(this.dataDir, 'address');
    const assertRuns = this.restartWithoutWaiting();
    await until(
      'the daemon listens',
      () => {
        assertRuns();
        const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
        if (text !== '') this.address = text.split('\n')[0]!;
        return text !== '';
      },
      START_TIMEOUT_MS,
    );
  }
}

/** As on a busy machine, where a lease may run out. */
const isWithoutLeader = ({ status, body }: ApiResponse): boolean =>
  status === 503 && (body as { code: string }).code === 'no_leader';

function locationOf(response: Response): string {
  const location = response.headers.get('location');
  if (location === null) throw new Error(`Expected a redirect, not ${response.status}.`);
  return location;
}
