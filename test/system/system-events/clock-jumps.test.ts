import { setTimeout as pause } from 'node:timers/promises';
import { alertSummary } from '../../../src/contract/alert';
import { connection as connectionShown } from '../../../src/contract/connection';
import { ledger } from '../../../src/contract/ledger';
import { pageOf } from '../../../src/contract/page';
import { target } from '../../../src/contract/target';
import { queryStored } from '../../support/daemon/stored-data';
import { useFastIntervals } from '../../support/fast-intervals';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Longer than the delays before a retry and before the first two probes. */
const LONGEST_PAUSE = 20 * SECOND;
const POLICY = {
  retry: { delays_s: [5, 5, 5, 5, 5, 5, 5, 5] },
  jitter: 0,
  max_age_s: 86_400,
  retry_after_cap_s: 14_400,
  breaker: { failures: 4, first_probe_s: 5, cap_s: 300 },
};

// So that retention runs during the test.
useFastIntervals(500);

/** Three receivers, and a steady stream of notifications. */
class SteadyTraffic {
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
    switchboard.upstream.now = () => switchboard.clock.monotonic() + switchboard.clock.slept();
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
    await until('all have arrived', () => missing().length === 0, 15_000).catch((error: unknown) => {
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

let harness: SteadyTraffic;
beforeEach(async () => {
  harness = await SteadyTraffic.start();
});
afterEach(() => harness.end());

it('deliveries, renewals and checks continue when the clock is set back by two hours', async () => {
  const { switchboard } = harness;
  harness.answer(503);
  harness.begin();
  await harness.waitUntilAllFail();
  const [renewals, checks] = [harness.renewals(), harness.checks()];

  switchboard.clock.jump(-2 * HOUR);
  await until('the alert is raised', async () => (await harness.alerts()).includes('relay.clock.set_back'));
  await until('the event is delivered', () => harness.clockEvents.hits.length > 0);
  await harness.waitForMore(5);

  // Times are shown relative to the clock as it is set now.
  const msFromNow = (at: string) => Math.abs(Date.parse(at) - switchboard.clock.now());
  expect(msFromNow((await harness.target('ordinary')).breaker!.probe_at)).toBeLessThan(MINUTE);
  const head = await switchboard.deliveryOnce(harness.emitted[0]!, harness.ids['strict']!, () => true);
  expect(msFromNow(head.due_at!)).toBeLessThan(MINUTE);
  expect(await switchboard.read(ledger, '/ledger', { method: 'POST' })).toMatchObject({ findings: [] });

  harness.answer(200);
  switchboard.clock.move(LONGEST_PAUSE);
  await harness.waitForMore(5);
  await harness.endTraffic();
  await harness.waitUntilAllDelivered();

  switchboard.clock.move(5 * MINUTE);
  await until('the webhook is checked', () => harness.checks() > checks);
  expect(harness.renewals()).toBe(renewals);
  const { renews_at: renewsAt, expires_at: expiresAt } = await harness.connection();
  expect(Date.parse(expiresAt!) - switchboard.clock.now()).toBeLessThan(HOUR);
  switchboard.clock.move(Date.parse(renewsAt!) - switchboard.clock.now() + SECOND);
  await harness.waitUntilRenewed(renewals);
  switchboard.clock.move(5 * MINUTE);
  await until('the webhook is checked again', () => harness.checks() > checks + 1);
  expect(harness.renewals()).toBe(renewals + 1);
  expect(await harness.connection()).toMatchObject({ state: 'connected' });
  expect((await switchboard.wire.send('/readyz')).status).toBe(200);
});

it('deliveries, renewals and checks continue when the clock is set ahead by forty days, and retention removes only what is really old', async () => {
  const { switchboard } = harness;
  const old = [await switchboard.emit('task.created'), await switchboard.emit('task.created')];
  const renewalsAtFirst = harness.renewals();
  switchboard.clock.move(30 * DAY - HOUR);
  const recent = [await switchboard.emit('task.created'), await switchboard.emit('task.created')];
  await harness.waitUntilRenewed(renewalsAtFirst);
  harness.answer(503);
  harness.begin();
  await harness.waitUntilAllFail();
  const [renewals, checks] = [harness.renewals(), harness.checks()];

  switchboard.clock.jump(40 * DAY);
  await until('the alert is raised', async () => (await harness.alerts()).includes('relay.clock.set_ahead'));
  await until('the event is delivered', () => harness.clockEvents.hits.length > 0);
  await harness.waitUntilRenewed(renewals);
  // A check that runs during the jump is followed by the next one five minutes later.
  switchboard.clock.move(5 * MINUTE);
  await until('the webhook is checked', () => harness.checks() > checks);
  await harness.waitForMore(5);

  harness.answer(200);
  switchboard.clock.move(LONGEST_PAUSE);
  await harness.waitForMore(5);
  await harness.endTraffic();
  await harness.waitUntilAllDelivered();

  const kept = async (ids: string[]) => {
    const responses = await Promise.all(ids.map((id) => switchboard.ask(`/events/${id}`)));
    return responses.filter(({ status }) => status === 200).length;
  };
  // Two hours later, what is old by elapsed time is removed, and nothing else.
  expect(await kept(old)).toBe(2);
  switchboard.clock.move(2 * HOUR);
  await until('retention has run', async () => (await kept(old)) === 0);
  expect(await kept(recent)).toBe(2);
  expect(await kept(harness.emitted)).toBe(harness.emitted.length);

  // After the clock is corrected, everything continues as before.
  switchboard.clock.jump(-40 * DAY);
  await until('the alert is raised', async () => (await harness.alerts()).includes('relay.clock.set_back'));
  harness.answer(503);
  const after = await switchboard.emit('deal.updated', { id: -1 });
  harness.emitted.push(after);
  const patient = harness.ids['patient']!;
  const retrying = await switchboard.deliveryOnce(after, patient, ({ state }) => state === 'retrying');
  expect(Date.parse(retrying.due_at!) - switchboard.clock.now()).toBeLessThan(MINUTE);
  harness.answer(200);
  switchboard.clock.move(LONGEST_PAUSE);
  await harness.waitUntilAllDelivered();
  expect((await switchboard.wire.send('/readyz')).status).toBe(200);
});

it('no delivery is delayed when the clock is set back by half an hour while the daemon is stopped', async () => {
  harness.answer(503);
  harness.begin();
  await harness.waitUntilAllFail();
  await harness.endTraffic();
  await harness.switchboard.stop();
  harness.switchboard.clock.jump(-30 * MINUTE);
  harness.switchboard = await Switchboard.start({ after: harness.switchboard });
  const renewals = harness.renewals();

  harness.answer(200);
  harness.switchboard.clock.move(LONGEST_PAUSE);
  await harness.waitUntilAllDelivered();
  await until('the alert is raised', async () => (await harness.alerts()).join() === 'relay.clock.set_back');
  expect(harness.renewals()).toBe(renewals);
});

it('after a suspension of the machine, retries are due and the token is renewed, without a clock alert', async () => {
  const { switchboard } = harness;
  harness.answer(503);
  harness.begin();
  await harness.waitUntilAllFail();
  const [renewals, checks] = [harness.renewals(), harness.checks()];

  harness.answer(200);
  switchboard.clock.sleep(8 * HOUR);
  await harness.waitForMore(5);
  await harness.endTraffic();
  await harness.waitUntilRenewed(renewals);
  await until('the webhook is checked', () => harness.checks() > checks);
  switchboard.clock.move(LONGEST_PAUSE);
  await harness.waitUntilAllDelivered();
  expect(await harness.alerts()).toEqual([]);
});

it('deliveries that a wrong clock has postponed beyond any allowed pause are sent at once', async () => {
  const { switchboard } = harness;
  const patient = harness.ids['patient']!;
  harness.answer(503);
  const attempted = await switchboard.emit('deal.updated', { id: 1 });
  await switchboard.deliveryOnce(attempted, patient, ({ state }) => state === 'retrying');
  await switchboard.ask(`/targets/${patient}/pause`, { method: 'POST' });
  harness.answer(200);
  const unattempted = await switchboard.emit('deal.updated', { id: 2 });
  await switchboard.deliveryOnce(unattempted, patient, ({ state }) => state === 'pending');
  await queryStored(
    switchboard.dataDir,
    `UPDATE deliveries SET due_at = due_at + CASE state WHEN 'pending' THEN ? ELSE ? END WHERE due_at IS NOT NULL`,
    30 * MINUTE,
    6 * HOUR,
  );

  await switchboard.ask(`/targets/${patient}/resume`, { method: 'POST' });
  for (const event of [attempted, unattempted])
    await switchboard.deliveryOnce(event, patient, ({ state }) => state === 'succeeded');
});
