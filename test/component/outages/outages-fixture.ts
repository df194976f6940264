import type { Outage } from '../../../src/contract/outage';
import { EventsService } from '../../../src/relay/events/events.service';
import { Heartbeat } from '../../../src/relay/outages/heartbeat';
import { Outages } from '../../../src/relay/outages/outages';
import { OutagesModule } from '../../../src/relay/outages/outages.module';
import { SilenceDetector } from '../../../src/relay/outages/silence-detector';
import { SubscriptionModule } from '../../../src/relay/subscription/subscription.module';
import type { FakeCopilot } from '../../support/fakes/copilot';
import { readRows, Stand, type Premises } from '../connection/connection-fixture';

/** Outages over a real journal, without the scheduler: tests let hearts beat by themselves. */
export class OutagesStand {
  private constructor(
    readonly stand: Stand,
    private readonly premises: Premises,
  ) {}

  /** As the daemon when it has begun to listen. */
  static async open(premises: Premises, upstream: FakeCopilot): Promise<OutagesStand> {
    const stand = await Stand.open(premises, upstream, {}, [SubscriptionModule, OutagesModule]);
    const outages = new OutagesStand(stand, premises);
    outages.heartbeat.start();
    outages.silence.start();
    await outages.look();
    return outages;
  }

  /** Consent and registration. */
  async connect(upstream: FakeCopilot): Promise<void> {
    this.stand.subscription.start();
    await this.stand.connect(upstream);
    await this.stand.subscription.ensureRegistered();
    await this.look();
  }

  async look(): Promise<void> {
    await this.heartbeat.tick();
    await this.silence.check();
  }

  /** Lets time go by, hearts beating. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 20_000) {
      this.premises.clock.time += Math.min(left, 20_000);
      await this.look();
    }
  }

  /** A notification, verified already. */
  async receive(nonce: number): Promise<void> {
    const receivedAt = this.premises.clock.now();
    const draft = {
      type: 'deal.created',
      entity: 'deal:1',
      name: null,
      occurredAt: receivedAt,
      receivedAt,
      webhookId: 'wh_1',
      contentType: 'application/json',
      headers: [],
      body: Buffer.from('{}'),
      signatureHeader: 'x-signature',
      signatureValue: '0',
      unreadable: null,
      identity: { minute: 1, hash: Buffer.from([nonce]) },
    };
    const outcome = await this.stand.app.get(EventsService, { strict: false }).record(draft, {});
    expect(outcome.status).toBe('accepted');
  }

  /** Newest first. */
  async list(): Promise<Outage[]> {
    return (await this.outages.list(200, undefined)).data;
  }

  /** The events of our own that were stored, oldest first. */
  told(): { type: string; data: Record<string, unknown> }[] {
    return readRows<{ type: string; body: Buffer }>(
      this.premises,
      `SELECT type, body FROM events WHERE type LIKE 'relay.%' ORDER BY seq`,
    ).map(({ type, body }) => ({ type, data: JSON.parse(body.toString()).data }));
  }

  get outages(): Outages {
    return this.stand.app.get(Outages, { strict: false });
  }

  private get heartbeat(): Heartbeat {
    return this.stand.app.get(Heartbeat, { strict: false });
  }

  private get silence(): SilenceDetector {
    return this.stand.app.get(SilenceDetector, { strict: false });
  }
}
