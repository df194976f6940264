import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { pino } from 'pino';
import type { z } from 'zod';
import { deliveryDetail, type DeliveryDetail } from '../../../src/contract/delivery';
import { eventDetail, type EventDetail } from '../../../src/contract/event';
import { subscription } from '../../../src/contract/subscription';
import { targetCreated, type TargetCreated } from '../../../src/contract/target';
import { systemRandom, type Random } from '../../../src/relay/ground/random';
import { HostAddresses } from '../../../src/relay/network/host-addresses';
import { readSettings } from '../../../src/relay/settings/read-settings';
import { type Relay, startRelay } from '../../../src/relay/start-relay';
import { HubClient } from '../api/hub-client';
import { TestClock } from '../clock';
import { SIGNATURE_HEADER, FakeCopilot } from '../fakes/copilot';
import type { FakeWebhook } from '../fakes/copilot-webhooks';
import type { HostNames } from '../fakes/host-names';
import type { HttpClient, TestRequest, TestResponse } from '../http';
import { WEBHOOK_SECRET, type SignedNotification } from '../signed-notification';
import { until } from '../until';
import { databaseEnvironment } from './database-environment';

const ADMIN_TOKEN = 'admin-token-of-the-test';
const SECRET_BYTES = 48;

type ApiRequest = Omit<TestRequest, 'headers'> & { headers?: [name: string, value: string][] };

/** The Co-Pilot that a daemon connects to, and closes. */
export interface Copilot {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The only port to which it redirects, if there is one. */
  readonly daemonPort?: number;
  /** Opens an authorization URL as a browser of a user who consents. @returns the URL of its redirect */
  consent(authorizeUrl: string): Promise<URL>;
  close(): Promise<void>;
}

interface HubOptions {
  environment?: Record<string, string>;
  /** Used instead of what the system knows. */
  names?: HostNames;
  /** Whether each start connects it and waits for its registration. */
  connected?: boolean;
}

export interface SwitchboardOptions extends HubOptions {
  /** The Co-Pilot to connect to; by default a new one. */
  upstream?: FakeCopilot;
}

/**
 * The daemon in this process, on a clock of the test, tested only over HTTP. It is connected to a fake Co-Pilot and
 * registered there, with the secret of the signed notifications: the only random value of 48 bytes.
 */
export class Switchboard<Upstream extends Copilot = FakeCopilot> {
  relay!: Relay;
  wire!: HttpClient;
  adminToken = ADMIN_TOKEN;
  readonly clock = new TestClock();
  readonly dataDir = mkdtempSync(join(tmpdir(), 'switchboard-system-'));
  private readonly lines: string[] = [];
  private isRunning = false;

  private constructor(
    readonly upstream: Upstream,
    private readonly options: Pick<HubOptions, 'names' | 'connected'>,
  ) {}

  static async start({ upstream, ...options }: SwitchboardOptions = {}): Promise<Switchboard> {
    return Switchboard.startWith(upstream ?? (await FakeCopilot.start()), options);
  }

  /** Starts it with another Co-Pilot, such as a sandbox. */
  static async startWith<Upstream extends Copilot>(
    upstream: Upstream,
    { environment, ...options }: HubOptions = {},
  ): Promise<Switchboard<Upstream>> {
    const switchboard = new Switchboard(upstream, options);
    await switchboard.restart(environment);
    return switchboard;
  }

  /** Starts it again on its data, with only this environment. It is stopped before, unless it is already. */
  async restart(environment: Record<string, string> = {}): Promise<void> {
    if (this.isRunning) await this.stop();
    const { upstream, clock, options } = this;
    const settings = readSettings({
      DATA_DIR: this.dataDir,
      PORT: String(upstream.daemonPort ?? 0),
      COPILOT_BASE_URL: upstream.baseUrl,
      COPILOT_CLIENT_ID: upstream.clientId,
      COPILOT_CLIENT_SECRET: upstream.clientSecret,
      SWITCHBOARD_ADMIN_TOKEN: ADMIN_TOKEN,
      ...(await databaseEnvironment(this.dataDir)),
      ...environment,
    });
    // Without the redaction of the daemon's log: secrets must not even be passed to it.
    const log = pino(
      { level: 'trace', base: null },
      new Writable({ write: (line, _, done) => done(void this.lines.push(String(line))) }),
    );
    const random = upstream instanceof FakeCopilot ? withSecret : systemRandom;
    const hosts = new HostAddresses(clock, options.names?.find);
    this.relay = await startRelay(settings, { log, clock, random, hosts });
    this.isRunning = true;
    // With PUBLIC_URL, its URL is that of the proxy.
    this.wire = new HubClient(Number(environment['PORT'] ?? new URL(this.relay.url).port));
    this.adminToken = environment['SWITCHBOARD_ADMIN_TOKEN'] ?? ADMIN_TOKEN;
    if (options.connected ?? true) await this.connectAndRegister();
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

  /** Our webhook, as stored at Co-Pilot. */
  get webhook(): FakeWebhook {
    const webhook = [...this.fake.webhooks.values()].at(-1);
    if (webhook === undefined) throw new Error('No webhook is registered at Co-Pilot.');
    return webhook;
  }

  get hookPath(): string {
    return new URL(this.webhook.url).pathname;
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

  /** Sends a notification as Co-Pilot does, to our webhook URL and with one signature header. */
  notify(
    { body, signature }: SignedNotification,
    {
      header = SIGNATURE_HEADER,
      headers = [],
      contentType = 'application/json',
      path = this.hookPath,
    }: { header?: string; headers?: [string, string][]; contentType?: string | null; path?: string } = {},
  ): Promise<TestResponse> {
    const type: [string, string][] = contentType === null ? [] : [['content-type', contentType]];
    return this.wire.send(path, {
      method: 'POST',
      headers: [...type, ...headers, [header, signature]],
      body,
    });
  }

  /** Creates, signs and sends a notification. @returns the id of the event */
  async emit(type: string, data: Record<string, unknown> = {}): Promise<string> {
    const response = await this.notify(this.sign(type, data));
    expect(response).toMatchObject({ status: 200, json: { status: 'accepted' } });
    return (response.json as { id: string }).id;
  }

  sign(type: string, data: Record<string, unknown> = {}): SignedNotification {
    const notification = {
      event: type,
      timestamp: new Date(this.clock.now()).toISOString(),
      webhook_id: this.webhook.webhook_id,
      data: { nonce: randomBytes(6).toString('hex'), ...data },
    };
    const body = Buffer.from(JSON.stringify(notification));
    return { body, signature: this.fake.sign(this.webhook, body) };
  }

  event(id: string): Promise<EventDetail> {
    return this.read(eventDetail, `/events/${id}`);
  }

  delivery(id: string): Promise<DeliveryDetail> {
    return this.read(deliveryDetail, `/deliveries/${id}`);
  }

  addTarget(name: string, url: string, events: string[], more: object = {}): Promise<TargetCreated> {
    return this.read(targetCreated, '/targets', { method: 'POST', json: { name, url, events, ...more } });
  }

  async removeTarget({ id }: { id: string }): Promise<void> {
    expect((await this.ask(`/targets/${id}`, { method: 'DELETE' })).status).toBe(204);
  }

  /** The delivery of an event to a target, once it satisfies the condition. */
  async deliveryOnce(
    eventId: string,
    targetId: string,
    wanted: (delivery: DeliveryDetail) => boolean,
    withinMs?: number,
  ): Promise<DeliveryDetail> {
    let found: DeliveryDetail | undefined;
    const isFound = async () => {
      const { deliveries } = await this.event(eventId);
      found = deliveries.find((delivery) => delivery.target_id === targetId);
      return found !== undefined && wanted(found);
    };
    await until(`the delivery of ${eventId} to ${targetId}`, isFound, withinMs).catch((error: unknown) => {
      throw new Error(`${String(error)}; it is ${JSON.stringify(found)}`);
    });
    return found!;
  }

  /** Authorizes at Co-Pilot as the operator does. @returns the status of the callback: 302 on success */
  async connect(): Promise<number> {
    const start = await this.wire.send('/oauth/connect', { headers: this.bearer });
    const callback = await this.upstream.consent(start.headers.location ?? '');
    const cookie = start.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    const path = callback.pathname + callback.search;
    return (await this.wire.send(path, { headers: [['cookie', cookie]] })).status;
  }

  /** Stops it; its data remain for the next start. */
  async stop(): Promise<void> {
    this.isRunning = false;
    this.wire.close();
    await this.relay.stop();
  }

  /** Stops the daemon and deletes everything. */
  async end(): Promise<void> {
    await this.stop();
    await this.upstream.close();
    rmSync(this.dataDir, { recursive: true });
  }

  private async connectAndRegister(): Promise<void> {
    await this.connect();
    const isActive = async () => (await this.read(subscription, '/subscription')).state === 'active';
    await until('the registration', isActive);
  }

  private get fake(): FakeCopilot {
    if (this.upstream instanceof FakeCopilot) return this.upstream;
    throw new Error('This Co-Pilot sends its notifications itself.');
  }
}

const withSecret: Random = {
  bytes: (size) => (size === SECRET_BYTES ? Buffer.from(WEBHOOK_SECRET, 'base64url') : randomBytes(size)),
  fraction: () => Math.random(),
};
