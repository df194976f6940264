import { isDeepStrictEqual } from 'node:util';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import type { z } from 'zod';
import { deliveryDetail, type DeliveryDetail } from '../../../src/contract/delivery';
import { eventDetail, type EventDetail } from '../../../src/contract/event';
import { targetCreated, type TargetCreated } from '../../../src/contract/target';
import { type Relay, startRelay } from '../../../src/relay/start-relay';
import { HostAddresses } from '../../../src/relay/network/host-addresses';
import { readSettings } from '../../../src/relay/settings/read-settings';
import { databaseEnvironment } from './database-environment';
import { TestClock } from '../clock';
import { WEBHOOK_SECRET, type SignedNotification } from '../signed-notification';
import { until } from '../until';
import type { HostNames } from '../fakes/host-names';
import { SIGNATURE_HEADER, FakeCopilot, type FakeWebhook } from '../fakes/copilot';
import { HttpClient, type TestResponse, type TestRequest } from '../http';

const ADMIN_TOKEN = 'admin-token-of-the-test';
const SECRET_BYTES = 48;

type ApiRequest = Omit<TestRequest, 'headers'> & { headers?: [name: string, value: string][] };

export interface SwitchboardOptions {
  environment?: Record<string, string>;
  /** The Co-Pilot to connect to; by default a new one. */
  upstream?: FakeCopilot;
  /** Used instead of what the system knows. */
  names?: HostNames;
  /** A stopped daemon whose Co-Pilot, data and clock to use. */
  after?: Switchboard;
}

/**
 * The whole daemon in this process, connected to a fake Co-Pilot and registered there, and tested only over HTTP. Its
 * webhook secret, the only random value of 48 bytes, is that of the signed notifications.
 */
export class Switchboard {
  readonly bearer: [string, string][];

  private constructor(
    readonly relay: Relay,
    readonly upstream: FakeCopilot,
    readonly dataDir: string,
    readonly clock: TestClock,
    private readonly lines: string[],
    readonly wire: HttpClient,
    readonly adminToken: string,
  ) {
    this.bearer = [['authorization', `Bearer ${adminToken}`]];
  }

  static async start({
    environment = {},
    names,
    after,
    upstream: given = after?.upstream,
  }: SwitchboardOptions = {}): Promise<Switchboard> {
    const upstream = given ?? (await FakeCopilot.start());
    const dataDir = after?.dataDir ?? mkdtempSync(join(tmpdir(), 'switchboard-system-'));
    const clock = after?.clock ?? new TestClock();
    const lines = after?.lines ?? [];
    const settings = readSettings({
      DATA_DIR: dataDir,
      PORT: '0',
      COPILOT_BASE_URL: upstream.baseUrl,
      COPILOT_CLIENT_ID: upstream.clientId,
      COPILOT_CLIENT_SECRET: upstream.clientSecret,
      SWITCHBOARD_ADMIN_TOKEN: ADMIN_TOKEN,
      ...(await databaseEnvironment(dataDir)),
      ...environment,
    });
    // Without the redaction of the daemon's log: secrets must not even be passed to it.
    const log = pino(
      { level: 'trace', base: null },
      new Writable({ write: (line, _, done) => done(void lines.push(String(line))) }),
    );
    const random = {
      bytes: (size: number) =>
        size === SECRET_BYTES ? Buffer.from(WEBHOOK_SECRET, 'base64url') : randomBytes(size),
      fraction: () => Math.random(),
    };
    const hosts = new HostAddresses(clock, names?.find);
    const relay = await startRelay(settings, { log, clock, random, hosts });
    // With PUBLIC_URL, its URL is that of the proxy.
    const port = Number(environment['PORT'] ?? new URL(relay.url).port);
    const token = environment['SWITCHBOARD_ADMIN_TOKEN'] ?? ADMIN_TOKEN;
    const switchboard = new Switchboard(relay, upstream, dataDir, clock, lines, new HttpClient(port), token);
    await switchboard.connect();
    return switchboard;
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
    const webhook = [...this.upstream.webhooks.values()].at(-1);
    if (webhook === undefined) throw new Error('No webhook is registered at Co-Pilot.');
    return webhook;
  }

  get hookPath(): string {
    return new URL(this.webhook.url).pathname;
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
    return { body, signature: this.upstream.sign(this.webhook, body) };
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

  /** Stops the daemon; its data and Co-Pilot remain for the next one. */
  async stop(): Promise<void> {
    this.wire.close();
    await this.relay.stop();
  }

  /** Stops the daemon and deletes everything. */
  async end(): Promise<void> {
    await this.stop();
    await this.upstream.close();
    rmSync(this.dataDir, { recursive: true });
  }

  /** Authorizes at Co-Pilot, from the first click to the registration. */
  private async connect(): Promise<void> {
    const start = await this.wire.send('/oauth/connect', { headers: this.bearer });
    const callback = await this.upstream.consent(start.headers.location ?? '');
    const cookie = start.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    await this.wire.send(callback.pathname + callback.search, { headers: [['cookie', cookie]] });
    const isActive = async () => {
      const { json } = await this.ask('/subscription');
      return (json as { state: string }).state === 'active';
    };
    await until('the registration', isActive);
  }
}
