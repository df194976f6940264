import {
  connection as connectionSchema,
  type Connection,
  type ConnectionState,
} from '../../../src/contract/connection';
import { eventSummary } from '../../../src/contract/event';
import { pageOf } from '../../../src/contract/page';
import { subscription as subscriptionSchema } from '../../../src/contract/subscription';
import type { QuirkValues } from '../../../src/sandbox/quirks/quirks';
import { Switchboard } from '../daemon/switchboard';
import { SandboxCopilot, type SandboxWebhook } from '../fakes/sandbox-copilot';
import { until } from '../until';

/** Whether a daemon whose sandbox has quirks and faults becomes healthy. Its clock is advanced until what it waits for is due. */
export class SandboxedHub {
  private constructor(readonly hub: Switchboard<SandboxCopilot>) {}

  /** Starts both. They are not connected yet. */
  static async start(quirks: Partial<QuirkValues>): Promise<SandboxedHub> {
    const upstream = await SandboxCopilot.start({ quirks });
    return new SandboxedHub(await Switchboard.startWith(upstream, { connected: false }));
  }

  get sandbox(): SandboxCopilot {
    return this.hub.upstream;
  }

  /** Advances the clock to the next renewal, and waits for the new token. */
  async waitForRenewal(): Promise<void> {
    const before = await this.connection();
    this.hub.clock.move(new Date(before.renews_at!).getTime() - this.hub.clock.now() + 1_000);
    await until('the access token is renewed', async () => {
      const { renewed_at } = await this.connection();
      return renewed_at !== null && renewed_at !== before.renewed_at;
    });
  }

  /** Advances the clock in steps until the connection is in this state. */
  async untilConnection(state: ConnectionState): Promise<void> {
    await until(`the connection is ${state}`, async () => {
      const found = await this.connection();
      if (found.state !== state) this.hub.clock.move(1_000);
      return found.state === state;
    });
  }

  /** Advances the clock in steps until the registered webhooks satisfy the condition. */
  async untilRegistered(isExpected: (webhooks: SandboxWebhook[]) => boolean): Promise<void> {
    await until('the registration at Co-Pilot is as expected', async () => {
      const reached = isExpected(await this.sandbox.webhooks());
      if (!reached) this.hub.clock.move(60_000);
      return reached;
    });
  }

  /** Emits an event at the sandbox, and waits until it is stored. */
  async receiveEvent(): Promise<void> {
    const deal = `deal:${String(this.sandbox.emit('deal.created').data['id'])}`;
    await until(`${deal} is stored`, async () => {
      const found = await this.hub.read(pageOf(eventSummary), `/events?entity=${deal}&type=deal.created`);
      return found.data.length > 0;
    });
  }

  /** Connected, registered exactly once, and receiving events. */
  async expectHealthy(): Promise<void> {
    await this.untilHealthy();
    const webhooks = await this.sandbox.webhooks();
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
    await this.hub.restart();
    await this.expectHealthy();
  }

  end(): Promise<void> {
    return this.hub.end();
  }

  private connection(): Promise<Connection> {
    return this.hub.read(connectionSchema, '/connection');
  }

  /** Advances the clock in steps, so that work is due in order, until the daemon is connected and registered. */
  private async untilHealthy(): Promise<void> {
    let found: unknown;
    await until('the daemon is connected and registered', async () => {
      const [connection, subscription] = await Promise.all([
        this.connection(),
        this.hub.read(subscriptionSchema, '/subscription'),
      ]);
      found = { connection, subscription };
      const isHealthy =
        connection.state === 'connected' && subscription.state === 'active' && subscription.remedy === null;
      if (!isHealthy) this.hub.clock.move(240_000);
      return isHealthy;
    }).catch((error: unknown) => {
      throw new Error(`${String(error)}; it is ${JSON.stringify(found)}\n${this.hub.logged.slice(-4_000)}`);
    });
  }
}
