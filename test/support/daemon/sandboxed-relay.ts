import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  connection as connectionSchema,
  type Connection,
  type ConnectionState,
} from '../../../src/contract/connection';
import { eventSummary } from '../../../src/contract/event';
import { pageOf } from '../../../src/contract/page';
import { subscription as subscriptionSchema, type Subscription } from '../../../src/contract/subscription';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../src/sandbox/start-sandbox';
import { freePort } from '../free-port';
import { until } from '../until';
import { InProcessDaemon, type Copilot } from './in-process-daemon';

interface SandboxWebhook {
  webhook_id: string;
  url: string;
  events: string[];
  active: boolean;
}

/** The daemon in this process, connected to a sandbox whose quirks can be changed. */
export class SandboxedRelay extends InProcessDaemon {
  private credentials = { clientId: '', clientSecret: '' };

  /** @param daemonPort the same for all runs, because the webhook is registered with it */
  private constructor(
    readonly sandbox: Sandbox,
    private readonly daemonPort: number,
  ) {
    super(mkdtempSync(join(tmpdir(), 'switchboard-sandboxed-')));
    // The redirect URI names the port before the daemon listens there.
    this.credentials = sandbox.createApplication({
      name: 'Switchboard',
      redirectUris: [`http://localhost:${daemonPort}/oauth/callback`],
    });
  }

  /** Starts both. They are not connected yet. */
  static async start(options: SandboxOptions = {}): Promise<SandboxedRelay> {
    const sandbox = await startSandbox({ consent: 'grant', ...options });
    const one = new SandboxedRelay(sandbox, await freePort());
    await one.runAgain();
    return one;
  }

  /** @param downMs by how much the clock is advanced meanwhile */
  async restart(downMs = 0): Promise<void> {
    await this.stop();
    this.clock.move(downMs);
    await this.runAgain();
  }

  /** Authorizes at Co-Pilot as the operator does. @returns the status of the callback: 302 on success */
  connect(): Promise<number> {
    return this.authorize(this.copilot);
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
    return this.read(connectionSchema, '/connection');
  }

  subscription(): Promise<Subscription> {
    return this.read(subscriptionSchema, '/subscription');
  }

  /** Advances the clock in steps, so that work is due in order, until the daemon is connected and registered. */
  async untilHealthy(stepMs = 240_000): Promise<void> {
    await until('the daemon is connected and registered', async () => {
      const [connection, subscription] = await Promise.all([this.connection(), this.subscription()]);
      const isHealthy =
        connection.state === 'connected' && subscription.state === 'active' && subscription.remedy === null;
      if (!isHealthy) this.clock.move(stepMs);
      return isHealthy;
    }).catch(async (error: unknown) => {
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
      const found = await this.read(pageOf(eventSummary), `/events?entity=${deal}&type=deal.created`);
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

  /** Healthy now, and after a renewal. */
  async expectHealthyAfterRenewal(): Promise<void> {
    await this.expectHealthy();
    await this.waitForRenewal();
    await this.expectHealthy();
  }

  /** Healthy now, after a renewal, and after a restart. */
  async expectHealthyAfterRestart(): Promise<void> {
    await this.expectHealthyAfterRenewal();
    await this.restart();
    await this.expectHealthy();
  }

  async end(): Promise<void> {
    await this.stop();
    await this.sandbox.close();
    rmSync(this.dataDir, { recursive: true });
  }

  private runAgain(): Promise<void> {
    return this.run(this.copilot, { PORT: String(this.daemonPort) });
  }

  private get copilot(): Copilot {
    return { baseUrl: this.sandbox.baseUrl, ...this.credentials, consent };
  }
}

/** The sandbox consents by itself. */
async function consent(authorizeUrl: string): Promise<URL> {
  const consented = await fetch(authorizeUrl, { redirect: 'manual' });
  return new URL(consented.headers.get('location')!);
}
