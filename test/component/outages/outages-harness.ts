import type { Outage } from '../../../src/contract/outage';
import { NotStoredWorker } from '../../../src/relay/intake/not-stored.worker';
import { EventsService } from '../../../src/relay/events/events.service';
import { HeartbeatWorker } from '../../../src/relay/outages/heartbeat.worker';
import { OutageStore } from '../../../src/relay/outages/outage.store';
import { OutagesModule } from '../../../src/relay/outages/outages.module';
import { RefusalsWorker } from '../../../src/relay/outages/refusals.worker';
import { UnregisteredWorker } from '../../../src/relay/outages/unregistered.worker';
import { SilenceWorker } from '../../../src/relay/outages/silence.worker';
import { SubscriptionModule } from '../../../src/relay/subscription/subscription.module';
import { FeatureHarness } from '../../support/daemon/feature-harness';

/** Outages on a real journal. There is no scheduler: `check` and `pass` record the heartbeats. */
export class OutagesHarness extends FeatureHarness {
  constructor() {
    super([SubscriptionModule, OutagesModule]);
  }

  /** Opens the modules as the daemon does once it listens. */
  override async open(environment: Record<string, string> = {}): Promise<void> {
    await this.openModules(environment);
    await this.begin();
  }

  /** Opens them as the daemon does before it listens. */
  openModules(environment: Record<string, string> = {}): Promise<void> {
    return super.open(environment);
  }

  async begin(): Promise<void> {
    this.heartbeat.onListening();
    this.silence.onListening();
    this.app.get(UnregisteredWorker, { strict: false }).onListening();
    await this.check();
  }

  /** Authorizes and registers. */
  override async connect(): Promise<void> {
    this.listen();
    await super.connect();
    await this.subscriptionWorker.ensureRegistered();
    await this.check();
  }

  async check(): Promise<void> {
    await this.heartbeat.tick();
    await this.silence.check();
  }

  /** Advances the clock in steps of 20 s, with a heartbeat after each. */
  override async advance(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 20_000) {
      this.workspace.clock.time += Math.min(left, 20_000);
      await this.check();
    }
  }

  /** Stores a notification whose signature was verified. */
  async receive(nonce: number): Promise<void> {
    const receivedAt = this.workspace.clock.now();
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
      version: null,
      identity: { minute: 1, hash: Buffer.from([nonce]).toString('hex') },
    };
    const outcome = await this.app.get(EventsService, { strict: false }).record(draft, {});
    expect(outcome.status).toBe('accepted');
  }

  /** A notification is answered 413. */
  async refuse(): Promise<void> {
    const notStored = this.app.get(NotStoredWorker, { strict: false });
    notStored.add('too_large');
    notStored.report();
    await this.checkRefusals();
  }

  checkRefusals(): Promise<void> {
    return this.app.get(RefusalsWorker, { strict: false }).tick();
  }

  /** Newest first. */
  async list(): Promise<Outage[]> {
    return (await this.outages.list(200, undefined)).data;
  }

  /** The stored system events, oldest first. */
  published(): { type: string; data: Record<string, unknown> }[] {
    return this.readRows<{ type: string; body: Buffer }>(
      `SELECT type, body FROM events WHERE type LIKE 'relay.%' ORDER BY seq`,
    ).map(({ type, body }) => ({ type, data: JSON.parse(body.toString()).data }));
  }

  get outages(): OutageStore {
    return this.app.get(OutageStore, { strict: false });
  }

  private get heartbeat(): HeartbeatWorker {
    return this.app.get(HeartbeatWorker, { strict: false });
  }

  get silence(): SilenceWorker {
    return this.app.get(SilenceWorker, { strict: false });
  }
}
