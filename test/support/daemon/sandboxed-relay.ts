import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import type { Connection, ConnectionState } from '../../../src/contract/connection';
import type { EventSummary } from '../../../src/contract/event';
import type { Page } from '../../../src/contract/page';
import type { Subscription } from '../../../src/contract/subscription';
import { type Relay, startRelay } from '../../../src/relay/start-relay';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../src/sandbox/start-sandbox';
import { cookiesOf } from '../cookies';
import { readSettings } from '../../../src/relay/settings/read-settings';

import { freePort } from '../free-port';
import { databaseEnvironment } from './database-environment';
import { TestClock } from '../clock';
import { until } from '../until';

const ADMIN_TOKEN = 'admin-token-of-the-test';

interface SandboxWebhook {
  webhook_id: string;
  url: string;
  events: string[];
  active: boolean;
}

/** The daemon on a test clock, connected to a sandbox whose quirks can be changed. */
export class SandboxedRelay {
  readonly clock = new TestClock();
  private readonly dataDir = mkdtempSync(join(tmpdir(), 'switchboard-sandboxed-'));
  private readonly lines: string[] = [];
  private relay: Relay | null = null;
  /** The same for all runs, because the webhook is registered with it. */
  private port = 0;
  private credentials = { clientId: '', clientSecret: '' };

  private constructor(readonly sandbox: Sandbox) {}

  /** Starts both. They are not connected yet. */
  static async start(options: SandboxOptions = {}): Promise<SandboxedRelay> {
    const one = new SandboxedRelay(await startSandbox({ consent: 'grant', ...options }));
    try {
      await one.register();
      await one.run();
      return one;
    } catch (error) {
      await one.end();
      throw error;
    }
  }

  async restart(): Promise<void> {
    await this.relay?.stop();
    await this.run();
  }

  /** Authorizes at Co-Pilot as the operator does. @returns the status of the callback: 302 on success */
  async connect(): Promise<number> {
    const begun = await this.visit('/oauth/connect', { authorization: `Bearer ${ADMIN_TOKEN}` });
    const consented = await fetch(begun.headers.get('location')!, { redirect: 'manual' });
    const callback = new URL(consented.headers.get('location')!);
    const cookie = cookiesOf(begun);
    return (await this.visit(`${callback.pathname}${callback.search}`, { cookie })).status;
  }

  /** Calls the developer panel. */
  async panel<T = unknown>(method: string, path: string, json?: unknown): Promise<T> {
    const body =
      json === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) };
    const response = await fetch(`${this.sandbox.baseUrl}/panel${path}`, { method, ...body });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  /** Replaces the client secret in the panel; the daemon uses the old one until its next start. */
  async renewClientSecret(): Promise<void> {
    const path = `/applications/${this.credentials.clientId}/secret`;
    this.credentials.clientSecret = (await this.panel<{ client_secret: string }>('POST', path)).client_secret;
  }

  async webhooks(): Promise<SandboxWebhook[]> {
    return (await this.panel<{ data: SandboxWebhook[] }>('GET', '/webhooks')).data;
  }

  connection(): Promise<Connection> {
    return this.ask('GET', '/connection');
  }

  subscription(): Promise<Subscription> {
    return this.ask('GET', '/subscription');
  }

  async ask<T>(method: string, path: string): Promise<T> {
    const response = await this.visit(`/api/v1${path}`, { authorization: `Bearer ${ADMIN_TOKEN}` }, method);
    return (await response.json()) as T;
  }

  /** Advances the clock in steps, so that work is due in order, until the daemon is connected and registered. */
  async untilHealthy(stepMs = 60_000): Promise<void> {
    await until(
      'the daemon is connected and registered',
      async () => {
        const [connection, subscription] = await Promise.all([this.connection(), this.subscription()]);
        const isHealthy =
          connection.state === 'connected' && subscription.state === 'active' && subscription.remedy === null;
        if (!isHealthy) this.clock.move(stepMs);
        return isHealthy;
      },
      20_000,
    ).catch(async (error: unknown) => {
      const found = { connection: await this.connection(), subscription: await this.subscription() };
      throw new Error(`${String(error)}; it is ${JSON.stringify(found)}\n${this.lines.slice(-15).join('')}`);
    });
  }

  /** Advances the clock to the next renewal, and waits for the new token. */
  async waitForRenewal(): Promise<void> {
    const before = await this.connection();
    this.clock.move(new Date(before.renews_at!).getTime() - this.clock.now() + 1_000);
    await until('the access token is renewed', async () => {
      const { renewed_at } = await this.connection();
      return renewed_at !== null && renewed_at !== before.renewed_at;
    });
  }

  /** Advances the clock in steps until the connection is in this state. */
  async untilConnection(state: ConnectionState): Promise<void> {
    await until(`the connection is ${state}`, async () => {
      const found = await this.connection();
      if (found.state !== state) this.clock.move(1_000);
      return found.state === state;
    });
  }

  /** Advances the clock in steps until the registered webhooks satisfy the condition. */
  async untilRegistered(isExpected: (webhooks: SandboxWebhook[]) => boolean): Promise<void> {
    await until('the registration at Co-Pilot is as expected', async () => {
      const reached = isExpected(await this.webhooks());
      if (!reached) this.clock.move(60_000);
      return reached;
    });
  }

  /** Emits an event at the sandbox, and waits until it is stored. */
  async receiveEvent(): Promise<void> {
    const { data } = this.sandbox.emit('deal.created');
    const deal = `deal:${String(data['id'])}`;
    await until(`${deal} is stored`, async () => {
      const found = await this.ask<Page<EventSummary>>('GET', `/events?entity=${deal}&type=deal.created`);
      return found.data.length > 0;
    });
  }

  /** Connected, registered exactly once, and receiving events. */
  async expectHealthy(): Promise<void> {
    await this.untilHealthy();
    const webhooks = await this.webhooks();
    expect(webhooks.map(({ active, events }) => ({ active, events: events.length }))).toEqual([
      { active: true, events: 10 },
    ]);
    await this.receiveEvent();
  }

  /** Healthy now, after a renewal, and after a restart. */
  async expectHealthyAfterRestart(): Promise<void> {
    await this.expectHealthy();
    await this.waitForRenewal();
    await this.expectHealthy();
    await this.restart();
    await this.expectHealthy();
  }

  async end(): Promise<void> {
    await this.relay?.stop();
    await this.sandbox.close();
    rmSync(this.dataDir, { recursive: true });
  }

  private async register(): Promise<void> {
    // The redirect URI names the port before the daemon listens there.
    this.port = await freePort();
    this.credentials = this.sandbox.createApplication({
      name: 'Switchboard',
      redirectUris: [`http://localhost:${this.port}/oauth/callback`],
    });
  }

  private async run(): Promise<void> {
    const settings = readSettings({
      DATA_DIR: this.dataDir,
      PORT: String(this.port),
      COPILOT_BASE_URL: this.sandbox.baseUrl,
      COPILOT_CLIENT_ID: this.credentials.clientId,
      COPILOT_CLIENT_SECRET: this.credentials.clientSecret,
      SWITCHBOARD_ADMIN_TOKEN: ADMIN_TOKEN,
      ...(await databaseEnvironment(this.dataDir)),
    });
    const sink = new Writable({ write: (line, _, done) => done(void this.lines.push(String(line))) });
    this.relay = await startRelay(settings, {
      log: pino({ level: 'debug', base: null }, sink),
      clock: this.clock,
    });
  }

  private visit(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.port}${path}`, { method, headers, redirect: 'manual' });
  }
}
