import { isDeepStrictEqual } from 'node:util';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import type { z } from 'zod';
import { type Relay, startRelay } from '../../../src/relay/start-relay';
import { readSettings } from '../../../src/relay/settings/read-settings';
import { TestClock } from '../clock';
import { HubClient } from '../api/hub-client';
import { type HttpClient, type TestRequest, type TestResponse } from '../http';
import { databaseEnvironment } from './database-environment';

const ADMIN_TOKEN = 'admin-token-of-the-test';

type ApiRequest = Omit<TestRequest, 'headers'> & { headers?: [name: string, value: string][] };

/** The Co-Pilot that a daemon connects to. */
export interface Copilot {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Opens an authorization URL as a browser of a user who consents. @returns the URL of its redirect */
  consent(authorizeUrl: string): Promise<URL>;
}

/** The whole daemon in this process, on a clock of the test, tested only over HTTP. */
export abstract class InProcessDaemon {
  relay!: Relay;
  wire!: HttpClient;
  adminToken = ADMIN_TOKEN;

  protected constructor(
    readonly dataDir: string,
    readonly clock = new TestClock(),
    protected readonly lines: string[] = [],
  ) {}

  /** Starts it on what earlier runs have stored. */
  protected async run(
    copilot: Copilot,
    environment: Record<string, string>,
    tools: Omit<Parameters<typeof startRelay>[1], 'log' | 'clock'> = {},
  ): Promise<void> {
    const settings = readSettings({
      DATA_DIR: this.dataDir,
      PORT: '0',
      COPILOT_BASE_URL: copilot.baseUrl,
      COPILOT_CLIENT_ID: copilot.clientId,
      COPILOT_CLIENT_SECRET: copilot.clientSecret,
      SWITCHBOARD_ADMIN_TOKEN: ADMIN_TOKEN,
      ...(await databaseEnvironment(this.dataDir)),
      ...environment,
    });
    // Without the redaction of the daemon's log: secrets must not even be passed to it.
    const log = pino(
      { level: 'trace', base: null },
      new Writable({ write: (line, _, done) => done(void this.lines.push(String(line))) }),
    );
    this.relay = await startRelay(settings, { ...tools, log, clock: this.clock });
    // With PUBLIC_URL, its URL is that of the proxy.
    this.wire = new HubClient(Number(environment['PORT'] ?? new URL(this.relay.url).port));
    this.adminToken = environment['SWITCHBOARD_ADMIN_TOKEN'] ?? ADMIN_TOKEN;
  }

  get bearer(): [string, string][] {
    return [['authorization', `Bearer ${this.adminToken}`]];
  }

  get port(): number {
    return this.wire.port;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Everything that was logged. */
  get logged(): string {
    return this.lines.join('');
  }

  /** Calls the API with the admin token. */
  ask(path: string, { headers = [], ...rest }: ApiRequest = {}): Promise<TestResponse> {
    return this.wire.send(`/api/v1${path}`, { ...rest, headers: [...this.bearer, ...headers] });
  }

  /** Calls the API and validates the response against its schema, without missing or undocumented fields. */
  async read<Schema extends z.ZodType>(
    schema: Schema,
    path: string,
    request: ApiRequest = {},
  ): Promise<z.infer<Schema>> {
    const response = await this.ask(path, request);
    if (response.status >= 300) throw new Error(`${path} returned ${response.status}: ${response.text}`);
    const parsed = schema.parse(response.json);
    // The matcher takes a hundred times as long, and only shows a difference.
    if (!isDeepStrictEqual(response.json, parsed)) expect(response.json).toEqual(parsed);
    return parsed;
  }

  /** Stops it; its data remain for the next run. */
  async stop(): Promise<void> {
    this.wire.close();
    await this.relay.stop();
  }

  /** Authorizes at Co-Pilot as the operator does. @returns the status of the callback: 302 on success */
  protected async authorize(copilot: Copilot): Promise<number> {
    const start = await this.wire.send('/oauth/connect', { headers: this.bearer });
    const callback = await copilot.consent(start.headers.location ?? '');
    const cookie = start.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    const path = callback.pathname + callback.search;
    return (await this.wire.send(path, { headers: [['cookie', cookie]] })).status;
  }
}
