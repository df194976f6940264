import { useFastIntervals } from '../../support/fast-intervals';
import { until } from '../../support/until';
import { ledger } from '../../../src/contract/ledger';
import { queryStored } from '../../support/daemon/stored-data';
import { DAY, HOUR, LONGEST_PAUSE, MINUTE, SECOND, SteadyTraffic } from './steady-traffic';

// So that retention runs during the test.
useFastIntervals(500);

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
  await harness.switchboard.restart();
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
