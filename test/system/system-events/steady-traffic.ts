import { Switchboard } from '../../support/daemon/switchboard';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { until } from '../../support/until';
import { target } from '../../../src/contract/target';
import { pageOf } from '../../../src/contract/page';
import { alertSummary } from '../../../src/contract/alert';
import { connection as connectionShown } from '../../../src/contract/connection';
import { setTimeout as pause } from 'node:timers/promises';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Longer than the delays before a retry and before the first two probes. */
export const LONGEST_PAUSE = 20 * SECOND;
const POLICY = {
  retry: { delays_s: [5, 5, 5, 5, 5, 5, 5, 5] },
  jitter: 0,
  max_age_s: 86_400,
  retry_after_cap_s: 14_400,
  breaker: { failures: 4, first_probe_s: 5, cap_s: 300 },
};

/** Three receivers, and a steady stream of notifications. */
export class SteadyTraffic {
  readonly emitted: string[] = [];
  private running = true;
  private traffic: Promise<void> = Promise.resolve();

  private constructor(
    public switchboard: Switchboard,
    readonly receivers: Record<'ordinary' | 'strict' | 'patient', RecordingTarget>,
    readonly ids: Record<string, string>,
    readonly clockEvents: RecordingTarget,
  ) {}

  static async start(): Promise<SteadyTraffic> {
    const switchboard = await Switchboard.start();
    const receivers = {
      ordinary: await RecordingTarget.start(),
      strict: await RecordingTarget.start(),
      patient: await RecordingTarget.start(),
    };
    const clockEvents = await RecordingTarget.start();
    const add = async (name: keyof typeof receivers, policy: object) =>
      (
        await switchboard.addTarget(name, receivers[name].url, ['deal.*'], {
          policy: { ...POLICY, ...policy },
        })
      ).id;
    const ids = {
      ordinary: await add('ordinary', {}),
      strict: await add('strict', { ordering: 'strict', breaker: null }),
      patient: await add('patient', { breaker: null }),
    };
    await switchboard.addTarget('clock events', clockEvents.url, ['relay.clock.*']);
    // Its access tokens expire by elapsed time, whatever the daemon's clock is set to.
    switchboard.upstream.grants.now = () => switchboard.clock.monotonic() + switchboard.clock.slept();
    return new SteadyTraffic(switchboard, receivers, ids, clockEvents);
  }

  answer(status: number): void {
    for (const receiver of Object.values(this.receivers)) receiver.respondWith(status);
  }

  begin(): void {
    this.traffic = this.emitAll();
  }

  async endTraffic(): Promise<void> {
    this.running = false;
    await this.traffic;
  }

  /** Waits until this many more notifications are accepted. */
  async waitForMore(count: number): Promise<void> {
    const before = this.emitted.length;
    await until('more notifications are accepted', () => this.emitted.length >= before + count);
  }

  /** Waits until every target has failed with more events queued, and the circuit breaker is open. */
  async waitUntilAllFail(): Promise<void> {
    await until('all have failed', async () => {
      const { breaker } = await this.target('ordinary');
      const areHit = Object.values(this.receivers).every(({ hits }) => hits.length > 0);
      return areHit && breaker !== null;
    });
    await this.waitForMore(5);
  }

  target(name: string) {
    return this.switchboard.read(target, `/targets/${this.ids[name]}`);
  }

  async waitUntilAllDelivered(): Promise<void> {
    const missing = () =>
      Object.values(this.receivers).flatMap(({ hits }) => {
        const arrived = new Set(hits.map(({ headers }) => headers['webhook-id']));
        return this.emitted.filter((id) => !arrived.has(id));
      });
    await until('all have arrived', () => missing().length === 0).catch((error: unknown) => {
      throw new Error(`${String(error)}; ${missing().length} of ${this.emitted.length} times 3 are missing`);
    });
    await until('nothing is queued', async () => {
      const open = await Promise.all(Object.keys(this.ids).map((name) => this.target(name)));
      return open.every(({ backlog }) => backlog.open === 0);
    });
    const dead = await this.switchboard.ask('/dead-letters');
    expect(dead.json).toMatchObject({ data: [] });
    // The strict target received them in the order of their arrival.
    const first = [...new Set(this.receivers.strict.hits.map(({ headers }) => headers['webhook-id']))];
    expect(first).toEqual(this.emitted);
  }

  async alerts(): Promise<string[]> {
    const { data } = await this.switchboard.read(pageOf(alertSummary), '/alerts');
    return data.map(({ type }) => type).filter((type) => type.startsWith('relay.clock.'));
  }

  renewals(): number {
    return this.switchboard.upstream.on('POST /oauth/token').length;
  }

  checks(): number {
    return this.switchboard.upstream.on('GET /v1/webhooks').length;
  }

  connection() {
    return this.switchboard.read(connectionShown, '/connection');
  }

  /** Waits until the response to a further renewal is processed: the clock must not end its time limit. */
  async waitUntilRenewed(before: number): Promise<void> {
    await until(
      'the token is renewed',
      async () => this.renewals() > before && (await this.connection()).state === 'connected',
    );
  }

  async end(): Promise<void> {
    await this.endTraffic();
    await this.switchboard.end();
    await Promise.all([...Object.values(this.receivers), this.clockEvents].map((one) => one.close()));
  }

  private async emitAll(): Promise<void> {
    while (this.running) {
      const notification = this.switchboard.sign('deal.updated', { id: this.emitted.length });
      // When a test moves the clock, requests in flight exceed their time limit: 503, which Co-Pilot repeats.
      let response = await this.switchboard.notify(notification);
      while (response.status === 503) response = await this.switchboard.notify(notification);
      this.emitted.push((response.json as { id: string }).id);
      await pause(20);
    }
  }
}
