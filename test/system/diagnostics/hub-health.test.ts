import { alertSummary, type AlertSummary } from '../../../src/contract/alert';
import { hubHealth } from '../../../src/contract/health';
import { pageOf } from '../../../src/contract/page';
import { target } from '../../../src/contract/target';
import { useFastIntervals } from '../../support/fast-intervals';
import { makeCertificate } from '../../support/fakes/certificates';
import { MAIL_PASSWORD, MAIL_USER, MailServer } from '../../support/fakes/mail-server';
import { useReceivers } from '../../support/fakes/receivers';
import type { RecordingTarget } from '../../support/fakes/recording-target';
import { runInProcess } from '../../support/daemon/run-in-process';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const MINUTE = 60_000;

const authority = { name: 'An authority', ...makeCertificate({ name: 'An authority', authority: true }) };

let switchboard: Switchboard;
let mail: MailServer;
let webhook: RecordingTarget;
const startReceiver = useReceivers();

useFastIntervals(300);
beforeAll(async () => {
  mail = await MailServer.start({ ...makeCertificate({ name: 'mail', issuer: authority }), secure: true });
  webhook = await startReceiver();
  switchboard = await Switchboard.start();
});

afterAll(async () => {
  await switchboard.end();
});

const shown = (id: string) => switchboard.read(target, `/targets/${id}`);
const alerts = async (): Promise<AlertSummary[]> =>
  (await switchboard.read(pageOf(alertSummary), '/alerts?limit=200')).data;
const shownHealth = () => switchboard.read(hubHealth, '/health');
const alertsOfTargets = async () => (await alerts()).filter(({ type }) => type.startsWith('relay.target.'));
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

/** RFC 2045, 6.7; the mail server has unfolded lines, so a soft break may be followed by a space instead. */
const fromQuotedPrintable = (text: string): string =>
  Buffer.from(
    text
      .replaceAll(/=(\r?\n|(?= ))/g, '')
      .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString();

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
      /^crm is failing since 20\S+Z: all \d+ attempts failed, the last with HTTP 401\. Its response: “\{"error": "invalid signature"\}”\. 3 deliveries were queued by 20\S+Z\.$/,
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
    await switchboard.restart();
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
    expect(down.sentence).toMatch(/^quiet has been down since 20\S+Z: HTTP 503\. 1 delivery was queued by/);
    expect(await untilResolved(id)).toBe('quiet is down.');
    await switchboard.removeTarget({ id });
  });
});

it('a hub with a target that rejects, one that is slow, one that is gone and a healthy one says so everywhere in the same words', async () => {
  const receivers = {
    rejecting: await startReceiver((response) => response.writeHead(401).end('Who are you?')),
    slow: await startReceiver(() => undefined),
    gone: await startReceiver(410),
    healthy: await startReceiver(),
  };
  const all = { events: ['deal.created'], policy: { timeout_ms: 1_000 } };
  for (const [name, { url }] of Object.entries(receivers))
    await switchboard.addTarget(name, url, all.events, { policy: all.policy });
  const told = await startReceiver();
  await switchboard.addTarget('webhook', told.url, ['relay.target.*']);
  await switchboard.addTarget(
    'mail',
    `smtps://${encodeURIComponent(MAIL_USER)}:${encodeURIComponent(MAIL_PASSWORD)}@127.0.0.1:${mail.port}?from=hub@example.com&to=ops@example.com`,
    ['relay.*'],
    { format: 'email', tls: { ca: authority.cert } },
  );
  for (let i = 0; i < 5; i += 1) await switchboard.emit('deal.created');
  await until('the first attempts have failed', async () => {
    const { data } = await switchboard.read(pageOf(target), '/targets');
    const states = Object.fromEntries(data.map(({ name, health }) => [name, health.states[0]]));
    return states['slow'] === 'down' && states['gone'] === 'disabled';
  });
  // Left alone for a quarter of an hour.
  for (let step = 0; step < 3; step += 1) {
    switchboard.clock.move(5 * MINUTE);
    await settle();
  }
  await until('three alerts', async () => (await alertsOfTargets()).length === 3);
  // A daemon takes it for downtime that its clock was moved.
  const ofTargets = async () =>
    (await shownHealth()).issues.filter(({ code }) => !code.startsWith('outage.'));
  await until('nothing else', async () => (await ofTargets()).length === 3);
  const issues = await ofTargets();
  expect((await shownHealth()).ok).toBe(false);
  const names = issues.map(({ code, target_name: name, severity }) => `${name} ${code} ${severity}`);
  expect(names[0]).toBe('gone target.disabled critical');
  expect(names.slice(1).toSorted()).toEqual(['rejecting target.failing warning', 'slow target.down warning']);
  const words = issues.flatMap(({ sentence, remedy }) => [sentence, remedy!]);
  expect(words.join('\n')).toMatch(/rejecting is failing since .* HTTP 401\. Its response: “Who are you\?”/);
  expect(words.join('\n')).toMatch(/slow has been down since .*: Response timed out\./);
  expect((await alertsOfTargets()).flatMap(({ sentence, remedy }) => [sentence, remedy]).toSorted()).toEqual(
    words.toSorted(),
  );

  const sentAsJson = () =>
    told.hits.map(
      ({ body }) => (JSON.parse(body.toString()) as { data: { sentence: string; remedy: string } }).data,
    );
  const sentAsMail = () =>
    mail.mails.map(({ text }) => fromQuotedPrintable(text).replaceAll(/\s+/g, ' ')).join('\n');
  await until('the webhook and the mailbox have been told', () => {
    const [sent, mailed] = [sentAsJson(), sentAsMail()];
    return issues.every(
      ({ sentence, remedy }) =>
        sent.some((one) => one.sentence === sentence && one.remedy === remedy) &&
        mailed.includes(sentence) &&
        mailed.includes(remedy!),
    );
  });

  const run = async (command: string) => {
    const { out } = await runInProcess([command, '--data-dir', switchboard.dataDir], {
      SWITCHBOARD_ADMIN_TOKEN: switchboard.adminToken,
    });
    return out;
  };
  const [status, doctor] = [await run('status'), await run('doctor')];
  for (const word of words) {
    expect(status).toContain(word);
    expect(doctor).toContain(word);
  }
  expect(doctor.match(/^problem +targets /gm)).toHaveLength(3);
  expect(status).toMatch(/^Target +rejecting {2}failing since \S+ \(last error HTTP 401 at \S+\), 5 queued/m);
  expect(status).toMatch(
    /^Target +slow {2}down since \S+ \(last error Response timed out at \S+\), 5 queued/m,
  );
  expect(status).toMatch(
    /^Target +gone {2}disabled since \S+ \(.*410.*, last error HTTP 410 at \S+\), 0 queued/m,
  );
  expect(status).toMatch(/^Target +healthy {2}active, 0 queued/m);

  const metrics = await switchboard.wire.send('/metrics', { headers: switchboard.bearer });
  for (const { severity, code } of issues)
    expect(metrics.text).toContain(`switchboard_health_issues{severity="${severity}",code="${code}"} 1\n`);
  expect(metrics.text).toContain('switchboard_target_failing{target="rejecting"} 1\n');
  expect(metrics.text).toContain('switchboard_breaker_open{target="slow"} 1\n');
  const ready = await switchboard.wire.send('/readyz', { headers: switchboard.bearer });
  expect(ready).toMatchObject({
    status: 200,
    json: { health: { ok: false, issues: expect.arrayContaining(issues) } },
  });
  expect((await switchboard.wire.send('/readyz')).json).toEqual({ status: 'ok' });
});
