import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backupRun, backups } from '../../../src/contract/backup';
import { CONNECTION_STATES } from '../../../src/contract/connection';
import { delivery } from '../../../src/contract/delivery';
import { pageOf } from '../../../src/contract/page';
import { SUBSCRIPTION_STATES } from '../../../src/contract/subscription';
import { Switchboard } from '../../support/daemon/switchboard';
import { useReceivers } from '../../support/fakes/receivers';
import type { RecordingTarget } from '../../support/fakes/recording-target';
import { readScrape } from '../../support/metrics';
import { allExpressions, selectorsOf } from '../../support/promql';
import { until } from '../../support/until';
import { askWith, makeToken } from '../access/token-fixture';

const METRICS_TOKEN = 'metrics-token-of-the-test';
const folder = mkdtempSync(join(tmpdir(), 'switchboard-metrics-'));

let switchboard: Switchboard;
let receiver: RecordingTarget;
const startReceiver = useReceivers();

beforeAll(async () => {
  const file = join(folder, 'metrics-token');
  writeFileSync(file, `${METRICS_TOKEN}\n`);
  receiver = await startReceiver();
  switchboard = await Switchboard.start({ environment: { SWITCHBOARD_METRICS_TOKEN_FILE: file } });
  await switchboard.addTarget('shop "main"\\', receiver.url, ['deal.*'], {
    policy: {
      retry: { delays_s: [3_600] },
      retry_on: { network: true, statuses: ['5xx'] },
      breaker: { failures: 2, first_probe_s: 3_600, cap_s: 3_600 },
    },
  });
});
afterAll(async () => {
  await switchboard.end();
  rmSync(folder, { recursive: true });
});

const scrape = async (accept = '') => {
  const headers: [string, string][] = [
    ['authorization', `Bearer ${METRICS_TOKEN}`],
    ['accept', accept],
  ];
  const response = await switchboard.wire.send('/metrics', { headers });
  expect(response.status).toBe(200);
  return { ...response, ...readScrape(response.text) };
};
const value = async (series: string) => (await scrape()).series.get(series);
const ofTarget = (name: string, labels = '') => `switchboard_${name}{target="shop \\"main\\"\\\\"${labels}}`;

describe('GET /metrics', () => {
  it('is for operators who may read, and for the metrics token, which opens nothing else', async () => {
    const status = async (token: string) => (await askWith(switchboard, token, '/metrics')).status;
    const reader = await makeToken(switchboard, ['read']);
    const follower = await makeToken(switchboard, ['listen']);
    for (const token of [switchboard.adminToken, reader.secret, METRICS_TOKEN])
      expect(await status(token)).toBe(200);
    expect(await status(follower.secret)).toBe(403);
    expect(await status('wrong')).toBe(401);
    const anonymous = await switchboard.wire.send('/metrics');
    expect(anonymous).toMatchObject({ status: 401, json: { code: 'unauthorized' } });
    expect((await askWith(switchboard, METRICS_TOKEN, '/api/v1/stats')).status).toBe(401);
    expect(switchboard.logged).not.toContain(METRICS_TOKEN);
  });

  it('has the metrics of the contract, with their types, before anything has happened', async () => {
    const { types, series, headers } = await scrape();
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(Object.fromEntries(types)).toEqual({
      switchboard_notifications_not_stored_total: 'counter',
      switchboard_notifications_total: 'counter',
      switchboard_ack_seconds: 'histogram',
      switchboard_deliveries_total: 'counter',
      switchboard_attempt_seconds: 'histogram',
      switchboard_attempts_failed_total: 'counter',
      switchboard_backlog: 'gauge',
      switchboard_backlog_oldest_seconds: 'gauge',
      switchboard_breaker_open: 'gauge',
      switchboard_target_offline: 'gauge',
      switchboard_router_lag_events: 'gauge',
      switchboard_connection_state: 'gauge',
      switchboard_subscription_state: 'gauge',
      switchboard_token_expires_seconds: 'gauge',
      switchboard_last_notification_timestamp_seconds: 'gauge',
      switchboard_disk_free_bytes: 'gauge',
      switchboard_disk_size_bytes: 'gauge',
      switchboard_last_backup_timestamp_seconds: 'gauge',
      switchboard_daemons: 'gauge',
      switchboard_health_issues: 'gauge',
      switchboard_target_failing: 'gauge',
      switchboard_target_blocked: 'gauge',
    });
    for (const outcome of ['accepted', 'duplicate', 'rejected', 'not_stored'])
      expect(series.get(`switchboard_notifications_total{outcome="${outcome}"}`)).toBe(0);
    for (const outcome of ['succeeded', 'dead', 'cancelled'])
      expect(series.get(ofTarget('deliveries_total', `,outcome="${outcome}"`))).toBe(0);
    expect(series.get(ofTarget('backlog_oldest_seconds'))).toBe(0);
    expect(series.get(ofTarget('target_failing'))).toBe(0);
    expect(series.get('switchboard_daemons{state="alive"}')).toBe(1);
    expect(series.get('switchboard_daemons{state="lost"}')).toBe(0);
    expect(series.get('switchboard_disk_size_bytes')).toBeGreaterThan(
      series.get('switchboard_disk_free_bytes')!,
    );
    expect(series.has('switchboard_last_notification_timestamp_seconds')).toBe(false);
    // No filter compares.
    expect(series.has('switchboard_router_lag_events')).toBe(false);
    expect(series.has('switchboard_last_backup_timestamp_seconds')).toBe(false);
  });

  it('shows the states of the connection and of the subscription, and when the token expires', async () => {
    const { series } = await scrape();
    for (const state of CONNECTION_STATES)
      expect(series.get(`switchboard_connection_state{state="${state}"}`)).toBe(+(state === 'connected'));
    for (const state of SUBSCRIPTION_STATES)
      expect(series.get(`switchboard_subscription_state{state="${state}"}`)).toBe(+(state === 'active'));
    const before = series.get('switchboard_token_expires_seconds')!;
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThanOrEqual(3_600);
    switchboard.clock.move(600_000);
    const after = (await value('switchboard_token_expires_seconds'))!;
    expect(after).toBeLessThanOrEqual(before - 600);
    expect(after).toBeGreaterThan(before - 700);
  });

  it('counts notifications by outcome, and the time until each 200', async () => {
    const notification = switchboard.sign('task.created');
    const statuses = [
      await switchboard.notify(notification),
      await switchboard.notify(notification),
      await switchboard.notify({ ...notification, signature: '0'.repeat(64) }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 401]);
    const { series } = await scrape();
    expect(series.get('switchboard_notifications_total{outcome="accepted"}')).toBe(1);
    expect(series.get('switchboard_notifications_total{outcome="duplicate"}')).toBe(1);
    expect(series.get('switchboard_notifications_total{outcome="rejected"}')).toBe(1);
    expect(series.get('switchboard_ack_seconds_count')).toBe(2);
    expect(series.get('switchboard_ack_seconds_bucket{le="+Inf"}')).toBe(2);
    expect(series.get('switchboard_ack_seconds_sum')).toBeGreaterThan(0);
    const last = series.get('switchboard_last_notification_timestamp_seconds')!;
    expect(Math.abs(last - switchboard.clock.now() / 1_000)).toBeLessThan(5);
  });

  it('counts the deliveries and attempts of a target', async () => {
    await switchboard.emit('deal.created');
    await until('the delivery', async () => {
      return (await value(ofTarget('deliveries_total', ',outcome="succeeded"'))) === 1;
    });
    const { series } = await scrape();
    expect(series.get(ofTarget('attempt_seconds_count'))).toBe(1);
    expect(series.get(ofTarget('attempt_seconds_bucket', ',le="60.0"'))).toBe(1);
    expect(series.get(ofTarget('backlog'))).toBe(0);
  });

  it('shows the backlog of a target that fails, its age, and its open circuit breaker', async () => {
    receiver.respondWith(500);
    for (let i = 0; i < 2; i += 1) await switchboard.emit('deal.updated');
    await until('the open breaker', async () => (await value(ofTarget('breaker_open'))) === 1);
    expect(await value(ofTarget('backlog'))).toBe(2);
    // They count once they are committed, which is after the breaker has opened.
    await until('both failures', async () => (await value(ofTarget('attempts_failed_total'))) === 2);
    switchboard.clock.move(60_000);
    const age = (await value(ofTarget('backlog_oldest_seconds')))!;
    expect(age).toBeGreaterThanOrEqual(60);
    expect(age).toBeLessThan(120);
  });

  it('shows when the latest backup was made', async () => {
    const file = join(folder, 'backup.db');
    await switchboard.read(backupRun, '/backups', { method: 'POST', json: { file } });
    const made = async () => (await switchboard.read(backups, '/backups')).latest;
    await until('the backup is made', async () => (await made()) !== null);
    const { at } = (await made())!;
    expect(await value('switchboard_last_backup_timestamp_seconds')).toBe(Date.parse(at) / 1_000);
  });

  it('has every metric, label and value that the alert rules and the Grafana dashboard use', async () => {
    const series = [...(await scrape()).series.keys()];
    const ofScraper = new Set(['instance', 'job']);
    const missing = allExpressions().flatMap((expression) =>
      selectorsOf(expression).flatMap(({ metric, matchers }) => {
        const found = series.filter((one) => one.split('{')[0] === metric);
        const fits = matchers.filter(({ label, operator, value: wanted }) => {
          if (ofScraper.has(label)) return true;
          const values = found.map((one) => new RegExp(`[{,]${label}="([^"]*)"`).exec(one)?.[1]);
          if (wanted.startsWith('$')) return values.some((has) => has !== undefined);
          return wanted.split(operator === '=~' ? '|' : '\0').every((one) => values.includes(one));
        });
        // No series while all is well.
        const isOptional = metric === 'up' || metric === 'switchboard_health_issues';
        const exists = isOptional || (found.length > 0 && fits.length === matchers.length);
        return exists ? [] : [`${metric} ${JSON.stringify(matchers)}`];
      }),
    );
    expect(missing).toEqual([]);
  });

  it('counts what was cancelled, or has failed permanently', async () => {
    const { data } = await switchboard.read(pageOf(delivery), '/deliveries?status=retrying');
    const discarded = await switchboard.ask(`/deliveries/${data[0]!.id}/discard`, {
      method: 'POST',
      json: { reason: 'Not needed.' },
    });
    expect(discarded.status).toBe(200);
    expect(await value(ofTarget('deliveries_total', ',outcome="cancelled"'))).toBe(1);
    receiver.respondWith(400);
    switchboard.clock.move(2 * 3_600_000);
    await until('the dead letter', async () => {
      return (await value(ofTarget('deliveries_total', ',outcome="dead"'))) === 1;
    });
    expect(await value(ofTarget('backlog'))).toBe(0);
  });

  it('is OpenMetrics for a scraper that prefers it, with the same series', async () => {
    let plain = await scrape();
    const open = await scrape(
      'application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.3',
    );
    const keys = [...open.series.keys()];
    // The outage that the moved clock stands for may have been found between the two.
    if (keys.length !== plain.series.size) plain = await scrape();
    expect(open.headers['content-type']).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    expect(open.text.endsWith('\n# EOF\n')).toBe(true);
    expect(open.types.get('switchboard_deliveries')).toBe('counter');
    expect(keys).toEqual([...plain.series.keys()]);
  });

  it('has no series of a removed target, and as many as the targets there are', async () => {
    // But for what needs attention, which a slow machine changes.
    const names = async () =>
      [...(await scrape()).series.keys()].filter((name) => !name.startsWith('switchboard_health_issues'));
    const before = await names();
    for (let i = 0; i < 3; i += 1) {
      const target = await switchboard.addTarget('passing', receiver.url, ['deal.deleted']);
      await switchboard.emit('deal.deleted');
      expect((await scrape()).text).toContain('passing');
      await switchboard.removeTarget(target);
    }
    expect((await scrape()).text).not.toContain('passing');
    expect(await names()).toEqual(before);
  });
});
