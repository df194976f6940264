import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliveryDetail, type DeliveryDetail } from '../../../src/contract/delivery';
import { eventDetail, type EventDetail } from '../../../src/contract/event';
import { targetCreated, type TargetCreated } from '../../../src/contract/target';
import { HostAddresses } from '../../../src/relay/network/host-addresses';
import { WEBHOOK_SECRET, type SignedNotification } from '../signed-notification';
import { until } from '../until';
import type { HostNames } from '../fakes/host-names';
import { SIGNATURE_HEADER, FakeCopilot } from '../fakes/copilot';
import type { FakeWebhook } from '../fakes/copilot-webhooks';
import type { TestResponse } from '../http';
import { InProcessDaemon } from './in-process-daemon';

const SECRET_BYTES = 48;

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
 * The daemon in this process, connected to a fake Co-Pilot and registered there. Its webhook secret, the only random value
 * of 48 bytes, is that of the signed notifications.
 */
export class Switchboard extends InProcessDaemon {
  private constructor(
    readonly upstream: FakeCopilot,
    after?: Switchboard,
  ) {
    super(after?.dataDir ?? mkdtempSync(join(tmpdir(), 'switchboard-system-')), after?.clock, after?.lines);
  }

  static async start({
    environment = {},
    names,
    after,
    upstream = after?.upstream,
  }: SwitchboardOptions = {}): Promise<Switchboard> {
    const switchboard = new Switchboard(upstream ?? (await FakeCopilot.start()), after);
    const random = {
      bytes: (size: number) =>
        size === SECRET_BYTES ? Buffer.from(WEBHOOK_SECRET, 'base64url') : randomBytes(size),
      fraction: () => Math.random(),
    };
    const hosts = new HostAddresses(switchboard.clock, names?.find);
    await switchboard.run(switchboard.upstream, environment, { random, hosts });
    await switchboard.connect();
    return switchboard;
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

  /** Stops the daemon and deletes everything. */
  async end(): Promise<void> {
    await this.stop();
    await this.upstream.close();
    rmSync(this.dataDir, { recursive: true });
  }

  /** Authorizes at Co-Pilot, from the first click to the registration. */
  private async connect(): Promise<void> {
    await this.authorize(this.upstream);
    const isActive = async () => {
      const { json } = await this.ask('/subscription');
      return (json as { state: string }).state === 'active';
    };
    await until('the registration', isActive);
  }
}
