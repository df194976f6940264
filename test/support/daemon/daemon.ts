import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Subscription } from '../../../src/contract/subscription';
import type { TargetCreated } from '../../../src/contract/target';
import { sqliteDriver } from '../../../src/relay/database/sqlite-driver';
import { cookiesOf } from '../cookies';
import type { FakeCopilot, FakeWebhook } from '../fakes/copilot';
import { guardOver } from './guard-over';
import { until } from '../until';

const MAIN = resolve(__dirname, '../../../dist/main.js');
const LISTENS_WITHIN_MS = 30_000;
const STOPS_WITHIN_MS = 20_000;

/** What is kept of the output of all runs together. */
const OUTPUT_LIMIT = 200_000;
/** What an error shows of it. */
const SHOWN_OUTPUT = 4_000;

export interface DaemonOptions {
  /** The Co-Pilot that it works with. It outlives the daemon. */
  upstream: FakeCopilot;
  /** Settings beside those that the fixture gives; they win over them. */
  environment?: Readonly<Record<string, string>>;
  /** A command that starts the daemon in its turn, with its flags. It has to hand its process id on to the daemon. */
  under?: readonly string[];
}

export interface ApiAnswer {
  status: number;
  headers: Headers;
  /** Parsed JSON, or null for an empty body. */
  body: unknown;
}

/**
 * The built daemon (`node dist/main.js serve`) as a process of its own, on loopback, with a folder of its own for its data.
 * It picks a free port at its first start and keeps it, and its data, over every restart.
 *
 *     const daemon = await Daemon.startConnected({ upstream });
 *     …
 *     await daemon.close();
 *
 * `close` ends the process and removes the folder, whatever state they are in; should the test's own process die first,
 * the daemon dies with it.
 */
export class Daemon {
  readonly dataDir = mkdtempSync(join(tmpdir(), 'switchboard-daemon-'));
  private child: ChildProcess | null = null;
  private guard: ChildProcess | null = null;
  private address: string | null = null;
  private written = '';

  private constructor(private readonly options: DaemonOptions) {}

  /** Starts it and waits until it listens; not connected to Co-Pilot yet. */
  static async start(options: DaemonOptions): Promise<Daemon> {
    const daemon = new Daemon(options);
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

  /** The Co-Pilot that it works with. */
  get upstream(): FakeCopilot {
    return this.options.upstream;
  }

  /** Without a trailing slash. It stays the same from the first start on. */
  get url(): string {
    if (this.address === null) throw new Error('The daemon has not listened yet.');
    return this.address;
  }

  /** @throws when it does not run */
  get pid(): number {
    const pid = this.child?.pid;
    if (pid === undefined) throw new Error(`The daemon does not run.\n${this.output.slice(-SHOWN_OUTPUT)}`);
    return pid;
  }

  get isRunning(): boolean {
    return this.child !== null;
  }

  /** What all runs wrote to standard output and standard error, the oldest of it dropped. */
  get output(): string {
    return this.written;
  }

  get databaseFile(): string {
    return join(this.dataDir, 'switchboard.db');
  }

  /** The operator's token for the API. */
  get token(): string {
    return readFileSync(join(this.dataDir, 'admin.token'), 'utf8').trim();
  }

  /** The webhook that Co-Pilot has for this daemon. */
  get webhook(): FakeWebhook {
    const { port } = new URL(this.url);
    const found = [...this.options.upstream.webhooks.values()].find(({ url }) => new URL(url).port === port);
    if (found === undefined) throw new Error('The daemon has registered no webhook.');
    return found;
  }

  /** Goes the operator's way to Co-Pilot's consent and back, then waits for the registration. */
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

  /** A call of the REST API with the operator's token; `path` is what follows `/api/v1`. */
  async request(method: string, path: string, body?: unknown): Promise<ApiAnswer> {
    const answer = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text === '' ? null : JSON.parse(text) };
  }

  /** The answer to a GET of the REST API. @throws when it is no 200 */
  async get<T>(path: string): Promise<T> {
    const { status, body } = await this.request('GET', path);
    if (status !== 200) throw new Error(`GET /api/v1${path} was answered ${status}: ${JSON.stringify(body)}`);
    return body as T;
  }

  /** Makes a target that takes every event. */
  async addTarget(name: string, url: string, more: object = {}): Promise<TargetCreated> {
    const { status, body } = await this.request('POST', '/targets', { name, url, ...more });
    if (status !== 201)
      throw new Error(`POST /api/v1/targets was answered ${status}: ${JSON.stringify(body)}`);
    return body as TargetCreated;
  }

  /** The stored bytes of an event, or null where there is none of that id. */
  async eventBody(id: string): Promise<Buffer | null> {
    const answer = await fetch(`${this.url}/api/v1/events/${id}/body`, {
      headers: { authorization: `Bearer ${this.token}` },
    });
    return answer.status === 200 ? Buffer.from(await answer.arrayBuffer()) : null;
  }

  /** Reads rows of its database file, whether it runs or not. */
  rows<Row>(sql: string, ...parameters: unknown[]): Row[] {
    const connection = new sqliteDriver(this.databaseFile, { readonly: true });
    try {
      return connection.prepare<unknown[], Row>(sql).all(...parameters);
    } finally {
      connection.close();
    }
  }

  /** Runs SQL on its database file, which only a stopped daemon allows. */
  alterDatabase(sql: string): void {
    if (this.isRunning) throw new Error('Stop the daemon first: it alone writes to its database.');
    const connection = new sqliteDriver(this.databaseFile);
    try {
      connection.exec(sql);
    } finally {
      connection.close();
    }
  }

  /** SIGKILL: nothing of it gets a chance to tidy up. */
  async kill(): Promise<void> {
    if (this.child === null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }

  /** SIGTERM. @returns its exit code @throws where a signal ended it instead, with what it wrote last */
  async stop(): Promise<number> {
    const { child } = this;
    if (child === null) throw new Error(`The daemon does not run.\n${this.output.slice(-SHOWN_OUTPUT)}`);
    const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    let patient = true;
    const timer = setTimeout(() => {
      patient = false;
      child.kill('SIGKILL');
    }, STOPS_WITHIN_MS);
    child.kill('SIGTERM');
    const [code, signal] = await ended;
    clearTimeout(timer);
    if (code !== null) return code;
    const cause = patient ? `ended by ${signal}` : `still running ${STOPS_WITHIN_MS} ms after it`;
    throw new Error(`Told to stop, the daemon was ${cause}:\n${this.output.slice(-SHOWN_OUTPUT)}`);
  }

  /** Starts it again on the same data and the same port, and waits until it listens. */
  async restart(): Promise<void> {
    if (this.isRunning) throw new Error('The daemon runs.');
    await this.run();
  }

  /** Starts it again without waiting for anything, to see it die on the way. */
  restartUnwatched(): void {
    if (this.isRunning) throw new Error('The daemon runs.');
    this.spawn();
  }

  async close(): Promise<void> {
    await this.kill();
    rmSync(this.dataDir, { recursive: true, force: true, maxRetries: 5 });
  }

  private async run(): Promise<void> {
    const file = join(this.dataDir, 'address');
    const child = this.spawn();
    await until(
      'the daemon listens',
      () => {
        if (child.exitCode !== null || child.signalCode !== null) {
          throw new Error(
            `The daemon ended with ${child.exitCode ?? child.signalCode} before it listened:\n${this.output.slice(-SHOWN_OUTPUT)}`,
          );
        }
        const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
        if (text !== '') this.address = text.split('\n')[0]!;
        return text !== '';
      },
      LISTENS_WITHIN_MS,
    );
  }

  private spawn(): ChildProcess {
    rmSync(join(this.dataDir, 'address'), { force: true });
    const { upstream, environment = {}, under = [] } = this.options;
    const [command, ...flags] = [...under, process.execPath, MAIN, 'serve'];
    const child = spawn(command, flags, {
      cwd: this.dataDir,
      env: {
        PATH: process.env['PATH'],
        NODE_ENV: 'production',
        HOST: '127.0.0.1',
        PORT: this.address === null ? '0' : new URL(this.address).port,
        DATA_DIR: this.dataDir,
        LOG_LEVEL: 'warn',
        COPILOT_BASE_URL: upstream.baseUrl,
        COPILOT_CLIENT_ID: upstream.clientId,
        COPILOT_CLIENT_SECRET: upstream.clientSecret,
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.written = (this.written + text).slice(-OUTPUT_LIMIT);
      });
    }
    child.on('error', (error) => (this.written += `${error.message}\n`));
    child.on('exit', () => this.ended(child));
    this.child = child;
    this.guard = child.pid === undefined ? null : guardOver(child.pid);
    return child;
  }

  private ended(child: ChildProcess): void {
    if (this.child !== child) return;
    this.guard?.kill('SIGKILL');
    this.guard = null;
    this.child = null;
  }
}

function locationOf(answer: Response): string {
  const location = answer.headers.get('location');
  if (location === null) throw new Error(`A redirect was expected, the answer was ${answer.status}.`);
  return location;
}
