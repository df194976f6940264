import { alertSummary, type AlertSummary } from '../../../src/contract/alert';
import { pageOf } from '../../../src/contract/page';
import { target } from '../../../src/contract/target';
import { useFastIntervals } from '../../support/fast-intervals';
import { useReceivers } from '../../support/fakes/receivers';
import type { RecordingTarget } from '../../support/fakes/recording-target';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const MINUTE = 60_000;

let switchboard: Switchboard;
let webhook: RecordingTarget;
const startReceiver = useReceivers();

useFastIntervals(300);
beforeAll(async () => {
  webhook = await startReceiver();
  switchboard = await Switchboard.start();
});

afterAll(async () => {
  await switchboard.end();
});

const shown = (id: string) => switchboard.read(target, `/targets/${id}`);
const alerts = async (): Promise<AlertSummary[]> =>
  (await switchboard.read(pageOf(alertSummary), '/alerts?limit=200')).data;
const alertOf = async (id: string, type: string) =>
  (await alerts()).find((one) => one.type === `relay.target.${type}` && one.subject === id);
const untilAlert = async (id: string, type: string): Promise<AlertSummary> => {
  await until(`${type} is raised`, async () => (await alertOf(id, type)) !== undefined);
  return (await alertOf(id, type))!;
};
/** @returns why the alert of a failing target has ended, once that is stored */
const untilResolved = async (id: string): Promise<string | null> => {
  let resolution: string | null = null;
  await until('it is resolved', async () => {
    const { data } = await switchboard.read(pageOf(alertSummary), '/alerts?state=resolved');
    resolution =
      data.find((one) => one.type === 'relay.target.failing' && one.subject === id)?.resolution ?? null;
    return resolution !== null;
  });
  return resolution;
};
const untilAttempts = (id: string, count: number) =>
  until(`${count} attempts`, async () => (await shown(id)).health.attempts >= count);

/** A moment in which the daemon has checked everything. */
const settle = async () => {
  const { id } = await switchboard.addTarget('control', webhook.url, ['control.*']);
  await switchboard.emit('control.event');
  await untilAttempts(id, 1);
  await switchboard.removeTarget({ id });
};

describe('a target that rejects everything', () => {
  let quiet: RecordingTarget;

  it('is told of within ten minutes, with its response and a remedy, and once it accepts deliveries again', async () => {
    const receiver = await startReceiver((response) =>
      response.writeHead(401).end('{"error":\n  "invalid signature"}'),
    );
    const { id } = await switchboard.addTarget('crm', receiver.url, ['crm.*']);
    for (let i = 0; i < 3; i += 1) await switchboard.emit('crm.event');
    await untilAttempts(id, 3);
    switchboard.clock.move(8 * MINUTE);
    await untilAttempts(id, 6);
    await settle();
    expect(await alertOf(id, 'failing')).toBeUndefined();
    switchboard.clock.move(2 * MINUTE);
    const alert = await untilAlert(id, 'failing');
    expect(alert).toMatchObject({
      severity: 'warning',
      remedy: expect.stringContaining('signing secret'),
      data: { target_id: id, status: 401, error: 'http_status', queued: 3 },
    });
    expect(alert.sentence).toMatch(
      /^crm is failing since 20\S+Z: all \d+ attempts failed, the last with HTTP 401\. Its response: “\{"error": "invalid signature"\}” 3 deliveries were queued by 20\S+Z\.$/,
    );
    expect((await shown(id)).health.states[0]).toBe('failing');

    receiver.respondWith(204);
    switchboard.clock.move(20 * MINUTE);
    expect(await untilResolved(id)).toBe('crm accepts deliveries again.');
    await switchboard.removeTarget({ id });
  });

  it('is told of in time by a single delivery whose attempts are far apart, also after a restart, but not by test requests', async () => {
    quiet = await startReceiver(404);
    const { id } = await switchboard.addTarget('quiet', quiet.url, ['quiet.*'], {
      policy: { retry: { delays_s: [240, 3_600, 3_600] } },
    });
    for (let i = 0; i < 3; i += 1) await switchboard.ask(`/targets/${id}/test`, { method: 'POST', json: {} });
    switchboard.clock.move(20 * MINUTE);
    await settle();
    expect([await alertOf(id, 'failing'), (await shown(id)).health.states]).toEqual([undefined, ['active']]);
    await switchboard.emit('quiet.event');
    await untilAttempts(id, 1);
    switchboard.clock.move(5 * MINUTE);
    await untilAttempts(id, 2);
    await switchboard.stop();
    switchboard.clock.move(30 * MINUTE);
    switchboard = await Switchboard.start({ after: switchboard });
    await settle();
    expect(await alertOf(id, 'failing')).toBeUndefined();
    switchboard.clock.move(5 * MINUTE);
    expect((await untilAlert(id, 'failing')).remedy).toContain('path of the URL');
  });

  it('is not told of while it is paused, and is told of as down or as failing, not as both', async () => {
    const { id } = (await switchboard.read(pageOf(target), '/targets')).data.find(
      ({ name }) => name === 'quiet',
    )!;
    const pause = (action: string) => switchboard.ask(`/targets/${id}/${action}`, { method: 'POST' });
    await pause('pause');
    expect(await untilResolved(id)).toBe('quiet is paused.');
    await pause('resume');
    await untilAlert(id, 'failing');
    await switchboard.ask(`/targets/${id}`, {
      method: 'PATCH',
      json: { policy: { breaker: { failures: 1, first_probe_s: 300, cap_s: 300 } } },
    });
    quiet.respondWith(503);
    switchboard.clock.move(60 * MINUTE);
    const down = await untilAlert(id, 'down');
    expect(down.sentence).toMatch(/^quiet is down since 20\S+Z: HTTP 503\. 1 delivery was queued by/);
    expect(await untilResolved(id)).toBe('quiet is down.');
    await switchboard.removeTarget({ id });
  });
});
