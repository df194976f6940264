import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { alertSummary } from '../../../src/contract/alert';
import { connection as connectionShown } from '../../../src/contract/connection';
import { ledger } from '../../../src/contract/ledger';
import { pageOf } from '../../../src/contract/page';
import { target } from '../../../src/contract/target';
import { sqliteDriver } from '../../../src/relay/database/sqlite-driver';
import { outsideGlobal } from '../../support/outside';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Longer than every pause before the first retry, and than the first two before a probe. */
const ALL_PAUSES = 20 * SECOND;
const POLICY = {
  retry: { delays_s: [5, 5, 5, 5, 5, 5, 5, 5] },
  jitter: 0,
  max_age_s: 86_400,
  retry_after_cap_s: 14_400,
  breaker: { failures: 4, first_probe_s: 5, cap_s: 300 },
};

/** What the daemon does every minute it does twice a second, so that retention is at work in between. */
const schedule = outsideGlobal.setInterval;
beforeAll(() => {
  jest
    .spyOn(outsideGlobal, 'setInterval')
    .mockImplementation((work: () => void, ms = 0) => schedule(work, Math.min(ms, 500)));
});
afterAll(() => jest.restoreAllMocks());

/** Three receivers, and notifications that come in without a break. */
class Stand {
  readonly emitted: string[] = [];
  private running = true;
  private traffic: Promise<void> = Promise.resolve();

  private constructor(
    public board: Switchboard,
    readonly receivers: Record<'ordinary' | 'strict' | 'patient', RecordingTarget>,
    readonly ids: Record<string, string>,
    readonly told: RecordingTarget,
  ) {}

  static async start(): Promise<Stand> {
    const board = await Switchboard.start();
    const receivers = {
      ordinary: await RecordingTarget.start(),
      strict: await RecordingTarget.start(),
      patient: await RecordingTarget.start(),
    };
    const told = await RecordingTarget.start();
    const add = async (name: keyof typeof receivers, policy: object) =>
      (await board.addTarget(name, receivers[name].url, ['deal.*'], { policy: { ...POLICY, ...policy } })).id;
    const ids = {
      ordinary: await add('ordinary', {}),
      strict: await add('strict', { ordering: 'strict', breaker: null }),
      patient: await add('patient', { breaker: null }),
    };
    await board.addTarget('told', told.url, ['relay.clock.*']);
    // Its access tokens end by the time that passes, whatever our clock is set to.
    board.upstream.now = () => board.clock.monotonic() + board.clock.slept();
    return new Stand(board, receivers, ids, told);
  }

  answer(status: number): void {
    for (const receiver of Object.values(this.receivers)) receiver.answer(status);
  }

  begin(): void {
    this.traffic = this.emitAll();
  }

  async endTraffic(): Promise<void> {
    this.running = false;
    await this.traffic;
  }

  /** So many more notifications were taken in. */
  async more(count: number): Promise<void> {
    const before = this.emitted.length;
    await until('more notifications', () => this.emitted.length >= before + count);
  }

  /** Every target has failed, has more behind that, and the breaker is open. */
  async allFail(): Promise<void> {
    await until('the failures', async () => {
      const { breaker } = await this.target('ordinary');
      const tried = Object.values(this.receivers).every(({ hits }) => hits.length > 0);
      return tried && breaker !== null;
    });
    await this.more(5);
  }

  target(name: string) {
    return this.board.read(target, `/targets/${this.ids[name]}`);
  }

  async allDelivered(): Promise<void> {
    const missing = () =>
      Object.values(this.receivers).flatMap(({ hits }) => {
        const arrived = new Set(hits.map(({ headers }) => headers['webhook-id']));
        return this.emitted.filter((id) => !arrived.has(id));
      });
    await until('all of it', () => missing().length === 0, 15_000).catch((error: unknown) => {
      throw new Error(`${String(error)}; ${missing().length} of ${this.emitted.length} times 3 are missing`);
    });
    await until('all of it to be settled', async () => {
      const open = await Promise.all(Object.keys(this.ids).map((name) => this.target(name)));
      return open.every(({ backlog }) => backlog.open === 0);
    });
    const dead = await this.board.ask('/dead-letters');
    expect(dead.json).toMatchObject({ data: [] });
    // The strict one had them in the order in which they came.
    const first = [...new Set(this.receivers.strict.hits.map(({ headers }) => headers['webhook-id']))];
    expect(first).toEqual(this.emitted);
  }

  async alerts(): Promise<string[]> {
    const { data } = await this.board.read(pageOf(alertSummary), '/alerts');
    return data.map(({ type }) => type).filter((type) => type.startsWith('relay.clock.'));
  }

  renewals(): number {
    return this.board.upstream.on('POST /oauth/token').length;
  }

  checks(): number {
    return this.board.upstream.on('GET /v1/webhooks').length;
  }

  connection() {
    return this.board.read(connectionShown, '/connection');
  }

  async end(): Promise<void> {
    await this.endTraffic();
    await this.board.end();
    await Promise.all([...Object.values(this.receivers), this.told].map((one) => one.close()));
  }

  private async emitAll(): Promise<void> {
    while (this.running) {
      const notification = this.board.sign('deal.updated', { id: this.emitted.length });
      // Time that a test lets pass makes what is on its way late: it is sent again, as by Co-Pilot.
      let answer = await this.board.notify(notification);
      while (answer.status === 503) answer = await this.board.notify(notification);
      this.emitted.push((answer.json as { id: string }).id);
      await pause(20);
    }
  }
}

let stand: Stand;
beforeEach(async () => {
  stand = await Stand.start();
});
afterEach(() => stand.end());

it('a clock that is set back by two hours stops nothing', async () => {
  const { board } = stand;
  stand.answer(503);
  stand.begin();
  await stand.allFail();
  const [renewals, checks] = [stand.renewals(), stand.checks()];

  board.clock.jump(-2 * HOUR);
  await until('the alert', async () => (await stand.alerts()).includes('relay.clock.set_back'));
  await until('the event', () => stand.told.hits.length > 0);
  await stand.more(5);

  // What is shown is as the clock shows it now.
  const soon = (at: string) => Math.abs(Date.parse(at) - board.clock.now());
  expect(soon((await stand.target('ordinary')).breaker!.probe_at)).toBeLessThan(MINUTE);
  const head = await board.deliveryOnce(stand.emitted[0]!, stand.ids['strict']!, () => true);
  expect(soon(head.due_at!)).toBeLessThan(MINUTE);
  expect(await board.read(ledger, '/ledger', { method: 'POST' })).toMatchObject({ findings: [] });

  stand.answer(200);
  board.clock.move(ALL_PAUSES);
  await stand.more(5);
  await stand.endTraffic();
  await stand.allDelivered();

  board.clock.move(5 * MINUTE);
  await until('the check of the webhook', () => stand.checks() > checks);
  expect(stand.renewals()).toBe(renewals);
  const { renews_at: renewsAt, expires_at: expiresAt } = await stand.connection();
  expect(Date.parse(expiresAt!) - board.clock.now()).toBeLessThan(HOUR);
  board.clock.move(Date.parse(renewsAt!) - board.clock.now() + SECOND);
  await until('the renewal', () => stand.renewals() > renewals);
  board.clock.move(5 * MINUTE);
  await until('the next check', () => stand.checks() > checks + 1);
  expect(stand.renewals()).toBe(renewals + 1);
  expect(await stand.connection()).toMatchObject({ state: 'connected' });
  expect((await board.wire.send('/readyz')).status).toBe(200);
});

it('a clock that is set ahead by forty days stops nothing, and removes nothing but what is old', async () => {
  const { board } = stand;
  const old = [await board.emit('task.created'), await board.emit('task.created')];
  board.clock.move(30 * DAY - HOUR);
  const recent = [await board.emit('task.created'), await board.emit('task.created')];
  await until('the renewal', async () => (await stand.connection()).state === 'connected');
  stand.answer(503);
  stand.begin();
  await stand.allFail();
  const [renewals, checks] = [stand.renewals(), stand.checks()];

  board.clock.jump(40 * DAY);
  await until('the alert', async () => (await stand.alerts()).includes('relay.clock.set_ahead'));
  await until('the event', () => stand.told.hits.length > 0);
  await until('a renewal', () => stand.renewals() > renewals);
  // One that was under way in the jump is followed by the next five minutes later.
  board.clock.move(5 * MINUTE);
  await until('a check of the webhook', () => stand.checks() > checks);
  await stand.more(5);

  stand.answer(200);
  board.clock.move(ALL_PAUSES);
  await stand.more(5);
  await stand.endTraffic();
  await stand.allDelivered();

  const kept = async (ids: string[]) => {
    const answers = await Promise.all(ids.map((id) => board.ask(`/events/${id}`)));
    return answers.filter(({ status }) => status === 200).length;
  };
  // Two hours later what is old by the time that has passed is gone, and nothing else.
  expect(await kept(old)).toBe(2);
  board.clock.move(2 * HOUR);
  await until('retention', async () => (await kept(old)) === 0);
  expect(await kept(recent)).toBe(2);
  expect(await kept(stand.emitted)).toBe(stand.emitted.length);

  // Set right again, it goes on as before.
  board.clock.jump(-40 * DAY);
  await until('the alert', async () => (await stand.alerts()).includes('relay.clock.set_back'));
  stand.answer(503);
  const after = await board.emit('deal.updated', { id: -1 });
  stand.emitted.push(after);
  const patient = stand.ids['patient']!;
  const retrying = await board.deliveryOnce(after, patient, ({ state }) => state === 'retrying');
  expect(Date.parse(retrying.due_at!) - board.clock.now()).toBeLessThan(MINUTE);
  stand.answer(200);
  board.clock.move(ALL_PAUSES);
  await stand.allDelivered();
  expect((await board.wire.send('/readyz')).status).toBe(200);
});

it('a clock that is set right by half an hour while the daemon is stopped puts nothing off', async () => {
  stand.answer(503);
  stand.begin();
  await stand.allFail();
  await stand.endTraffic();
  await stand.board.stop();
  stand.board.clock.jump(-30 * MINUTE);
  stand.board = await Switchboard.start({ after: stand.board });
  const renewals = stand.renewals();

  stand.answer(200);
  stand.board.clock.move(ALL_PAUSES);
  await stand.allDelivered();
  await until('the alert', async () => (await stand.alerts()).join() === 'relay.clock.set_back');
  expect(stand.renewals()).toBe(renewals);
});

it('a machine that slept finds its retries due and its token renewed, and no clock that was set', async () => {
  const { board } = stand;
  stand.answer(503);
  stand.begin();
  await stand.allFail();
  const [renewals, checks] = [stand.renewals(), stand.checks()];

  stand.answer(200);
  board.clock.sleep(8 * HOUR);
  await stand.more(5);
  await stand.endTraffic();
  await until('a renewal', () => stand.renewals() > renewals);
  await until('a check of the webhook', () => stand.checks() > checks);
  board.clock.move(ALL_PAUSES);
  await stand.allDelivered();
  expect(await stand.alerts()).toEqual([]);
});

it('what a clock that was wrong has put off, first attempts and what is beyond any pause, goes out at once', async () => {
  const { board } = stand;
  const patient = stand.ids['patient']!;
  stand.answer(503);
  const tried = await board.emit('deal.updated', { id: 1 });
  await board.deliveryOnce(tried, patient, ({ state }) => state === 'retrying');
  await board.ask(`/targets/${patient}/pause`, { method: 'POST' });
  stand.answer(200);
  const untried = await board.emit('deal.updated', { id: 2 });
  await board.deliveryOnce(untried, patient, ({ state }) => state === 'pending');
  const connection = new sqliteDriver(join(board.dataDir, 'switchboard.db'));
  connection
    .prepare(
      `UPDATE deliveries SET due_at = due_at + CASE state WHEN 'pending' THEN ? ELSE ? END WHERE due_at IS NOT NULL`,
    )
    .run(30 * MINUTE, 6 * HOUR);
  connection.close();

  await board.ask(`/targets/${patient}/resume`, { method: 'POST' });
  for (const event of [tried, untried])
    await board.deliveryOnce(event, patient, ({ state }) => state === 'succeeded');
});
