import type { AlertSummary } from '../../../src/contract/alert';
import type { Connection } from '../../../src/contract/connection';
import type { Outage } from '../../../src/contract/outage';
import type { Subscription } from '../../../src/contract/subscription';
import type { HealthState } from '../../../src/contract/target-health';
import { copilotIssues, outageIssues } from '../../../src/relay/diagnostics/hub-health/copilot-issues';
import { draftIssue } from '../../../src/relay/diagnostics/hub-health/draft-issue';
import { healthMetrics } from '../../../src/relay/diagnostics/hub-health/health-metrics';
import { mergeAlerts } from '../../../src/relay/diagnostics/hub-health/merge-alerts';
import { notificationIssues } from '../../../src/relay/diagnostics/hub-health/notification-issues';
import { targetIssues, type TargetFacts } from '../../../src/relay/diagnostics/hub-health/target-issue';
import type { TargetRecord } from '../../../src/relay/targets/target-record';

const NOW = Date.parse('2026-03-02T09:30:00.000Z');
const ago = (ms: number) => new Date(NOW - ms).toISOString();

const record = (parts: Partial<TargetRecord> = {}) =>
  ({ id: 'tgt_1', name: 'orders', listener: null, paused: null, disabled: null, ...parts }) as TargetRecord;
const failure = { at: NOW, status: 503, error: 'http_status' as const, excerpt: null };
const facts = (states: HealthState[], parts: Partial<TargetFacts> = {}): TargetFacts => ({
  target: record(),
  states,
  opening: null,
  delay: { dueSince: NOW - 90_000, blockedLanes: 0 },
  dead: 0,
  pausedUntil: null,
  latest: {
    failed: [true, true],
    failuresInRow: 2,
    failingSince: NOW - 90_000,
    failingFrom: 0,
    lastFailure: failure,
    lastSuccessAt: null,
    recoveredAt: null,
  },
  open: 12,
  now: NOW,
  ...parts,
});
const targetIssue = (found: TargetFacts) => [...targetIssues(found)][0] ?? null;
const alertWith = (type: string, data: object = {}) =>
  ({
    id: 'alr_1',
    type: `relay.${type}`,
    severity: 'critical',
    sentence: 'S.',
    remedy: 'R.',
    count: 3,
    since: ago(60_000),
    data,
  }) as unknown as AlertSummary;
const opening = { openedAt: NOW - 90_000, reason: 'HTTP 503.' };

describe('the issue of a target', () => {
  it.each([
    [
      'an open circuit breaker',
      facts(['down'], { opening }),
      'target.down',
      `orders has been down since ${ago(90_000)}: HTTP 503.`,
    ],
    [
      'failures',
      facts(['failing', 'behind']),
      'target.failing',
      `orders is failing since ${ago(90_000)}: all 2 attempts failed`,
    ],
    [
      'a backlog',
      facts(['behind']),
      'target.behind',
      `orders is behind: the next of 12 queued deliveries has been waiting since ${ago(90_000)}.`,
    ],
  ])('is %s, with what is queued', (_, found, code, sentence) => {
    expect(targetIssue(found)).toMatchObject({
      id: `${code}:tgt_1`,
      code,
      severity: 'warning',
      sentence: expect.stringContaining(sentence),
      remedy: expect.any(String),
      count: '12 queued',
      target_id: 'tgt_1',
    });
  });

  it('is none for a listener that is offline, fails or is behind, unless it has a circuit breaker', () => {
    const target = record({ listener: { ephemeral: false, owner: null } });
    for (const states of [['offline'], ['failing'], ['behind']] as HealthState[][])
      expect(targetIssue(facts(states, { target }))).toBeNull();
    expect(targetIssue(facts(['down'], { target, opening }))).toMatchObject({ code: 'target.down' });
  });

  it('is also that lanes are blocked, which only an operator ends', () => {
    const delay = { dueSince: null, blockedLanes: 2 };
    expect([...targetIssues(facts(['blocked', 'failing'], { delay }))]).toMatchObject([
      {
        code: 'target.blocked',
        severity: 'critical',
        sentence: 'orders is blocked: 2 dead letters hold up the deliveries behind them in their lanes.',
      },
      { code: 'target.failing' },
    ]);
  });

  it('is a remark if it responds again and has dead letters, unless it is not sent what is retried', () => {
    const latest = { ...facts([]).latest, recoveredAt: NOW - 5_000 };
    const codes = (states: HealthState[], dead = 3) =>
      [...targetIssues(facts(states, { latest, dead }))].map(({ code, severity }) => [code, severity]);
    expect(codes(['active'])).toEqual([['target.recovered', 'info']]);
    expect(codes(['active'], 0)).toEqual([]);
    expect(codes(['behind', 'disabled'])).toEqual([['target.behind', 'warning']]);
  });

  it('is only its pause, whatever else holds, with its end', () => {
    const paused = { at: NOW - 1_000, reason: 'Maintenance', until: NOW };
    const target = record({ paused });
    expect(
      targetIssue(facts(['paused', 'down'], { target, opening, pausedUntil: NOW + 60_000 })),
    ).toMatchObject({
      id: `target.paused:tgt_1:${NOW - 1_000}`,
      sentence: `orders is paused: Maintenance. It is resumed at ${ago(-60_000)}.`,
      deliberate: true,
    });
  });

  it('is none if it is active, or was disabled, which an alert tells', () => {
    expect(targetIssue(facts(['active']))).toBeNull();
    const target = record({ disabled: { at: NOW, reason: 'HTTP 410.' } });
    expect(targetIssue(facts(['disabled', 'down'], { target, opening }))).toBeNull();
  });
});

describe('alerts and what is found in the present states', () => {
  const failing = targetIssue(facts(['failing', 'behind']))!;
  const codes = (alerts: AlertSummary[], found = [failing]) =>
    mergeAlerts(alerts, found).map(({ code }) => code);

  it('are one issue if they tell the same, in the words of the alert, which keeps its snooze', () => {
    const alert = alertWith('target.failing', { target_id: 'tgt_1', target_name: 'orders' });
    expect(mergeAlerts([alert], [failing])).toEqual([
      {
        id: 'target.failing:tgt_1',
        code: 'target.failing',
        severity: 'critical',
        sentence: 'S.',
        remedy: 'R.',
        count: '12 queued',
        since: ago(90_000),
        target_id: 'tgt_1',
        target_name: 'orders',
        event_id: null,
        deliberate: false,
      },
    ]);
  });

  it('are separate if they are about different targets or parts', () => {
    expect(codes([alertWith('target.failing', { target_id: 'tgt_2' })])).toHaveLength(2);
    expect(codes([alertWith('disk.low')])).toEqual(['disk.low', 'target.failing']);
    expect(mergeAlerts([alertWith('disk.low')], [])).toMatchObject([{ id: 'alr_1', count: '3 times' }]);
  });

  it('tell a 410, dead letters and a target whose address is denied once', () => {
    const dead = draftIssue({ code: 'delivery.dead', sentence: '3 dead letters.' });
    const gone = [
      alertWith('delivery.dead', { target_id: 'tgt_1', error: 'gone' }),
      alertWith('target.disabled', { target_id: 'tgt_1' }),
    ];
    expect(codes(gone, [dead])).toEqual(['target.disabled']);
    expect(codes(gone.slice(0, 1), [dead])).toEqual(['delivery.dead']);
    expect(codes([], [dead])).toEqual(['delivery.dead']);
    expect(codes([alertWith('target.address_denied', { target_id: 'tgt_1' })])).toEqual([
      'target.address_denied',
    ]);
  });
});

const connection = (parts: Partial<Connection>) =>
  ({
    state: 'connected',
    sentence: 'S.',
    remedy: null,
    scopes_missing: [],
    ends_at: null,
    ...parts,
  }) as unknown as Connection;
const subscription = (parts: Partial<Subscription> = {}) =>
  ({
    state: 'active',
    sentence: 'S.',
    problem: null,
    remedy: null,
    reachability: null,
    last_notification_at: null,
    ...parts,
  }) as Subscription;

const ids = (outages: Outage[], silence: Subscription['silence'] = null) =>
  [...outageIssues(outages, silence)].map(({ id }) => id);

const withCopilot = (one: Partial<Connection>, other: Partial<Subscription> = {}) =>
  [...copilotIssues(connection(one), subscription(other))].map(({ code, severity }) => [code, severity]);

describe('issues with Co-Pilot', () => {
  it('are the lost connection, missing scopes, and a webhook that is rejected or paused', () => {
    expect(withCopilot({})).toEqual([]);
    expect(withCopilot({ state: 'consent_needed' })).toEqual([['connection.down', 'critical']]);
    expect(withCopilot({ state: 'unreachable' })).toEqual([['connection.down', 'warning']]);
    expect(withCopilot({ ends_at: ago(-1_000) })).toEqual([['connection.ending', 'warning']]);
    expect(withCopilot({ scopes_missing: ['deals'] })).toEqual([['connection.scopes_missing', 'warning']]);
    expect(withCopilot({}, { state: 'failed' })).toEqual([['subscription.down', 'critical']]);
    expect(withCopilot({}, { state: 'paused' })).toEqual([['subscription.paused', 'warning']]);
    expect(withCopilot({ state: 'not_connected' }, { state: 'paused' })).toEqual([
      ['connection.missing', 'warning'],
    ]);
  });

  it('include a webhook that the last check could not find out about, or that is not registered yet', () => {
    expect(withCopilot({}, { problem: 'P.' })).toEqual([['subscription.unchecked', 'warning']]);
    expect(withCopilot({}, { state: 'registering', problem: 'P.' })).toEqual([
      ['subscription.unchecked', 'warning'],
    ]);
    expect(withCopilot({}, { state: 'failed', problem: 'P.' })).toEqual([['subscription.down', 'critical']]);
  });

  it('include a failed reachability check until a notification arrives', () => {
    const reachability = {
      at: ago(1_000),
      failures: 1,
      sentence: 'S.',
      remedy: null,
    } as Subscription['reachability'];
    expect(withCopilot({}, { reachability })).toEqual([['subscription.unreachable', 'warning']]);
    expect(withCopilot({}, { reachability, last_notification_at: ago(0) })).toEqual([]);
  });

  it('include an outage until it is dismissed, and the present silence', () => {
    const outage = {
      id: 'out_1',
      kind: 'downtime',
      began_at: ago(60_000),
      ended_at: ago(1_000),
      sentence: 'S.',
      dismissed_at: null,
    } as Outage;
    expect([...outageIssues([outage, outage], null)]).toMatchObject([
      { id: 'out_1', count: '1 earlier outage' },
    ]);
    expect(ids([{ ...outage, dismissed_at: ago(0) }])).toEqual([]);
    const silence = { since: ago(60_000), usual_seconds: 5, sentence: 'S.' };
    const ongoing = { ...outage, kind: 'silence' as const, ended_at: null };
    expect(ids([ongoing], silence)).toEqual(['silence']);
    expect(ids([{ ...ongoing, dismissed_at: ago(0) }], silence)).toEqual([]);
  });
});

const ofNotifications = (parts: Partial<Parameters<typeof notificationIssues>[0]>) =>
  [...notificationIssues({ p99: null, rejections: [], duplicates: [], now: NOW, ...parts })].map(
    ({ code, severity }) => [code, severity],
  );

const at = (ms: number) => [{ received_at: ago(ms), event_id: 'evt_1' }] as never;

describe('issues with notifications', () => {
  it('are those rejected or held back within a day, the latter only as a remark', () => {
    expect(ofNotifications({ rejections: at(1_000), duplicates: at(1_000) })).toEqual([
      ['notification.rejected', 'warning'],
      ['notification.held', 'info'],
    ]);
    expect(ofNotifications({ rejections: at(25 * 3_600_000), duplicates: at(25 * 3_600_000) })).toEqual([]);
  });

  it('include slow acknowledgements', () => {
    expect(ofNotifications({ p99: 2_600 })).toEqual([['notification.slow', 'warning']]);
    expect(ofNotifications({ p99: 2_400 })).toEqual([]);
  });
});

it('metrics count the issues by severity and code, and say which target is failing', () => {
  const issues = mergeAlerts([], [targetIssue(facts(['failing']))!]).map((one) => ({
    ...one,
    snoozed: null,
  }));
  const metrics = healthMetrics({ ok: false, issues }, [record(), record({ id: 'tgt_2', name: 'crm' })]);
  expect(metrics.map(({ name, values }) => [name, values])).toEqual([
    ['switchboard_health_issues', [{ labels: { severity: 'warning', code: 'target.failing' }, value: 1 }]],
    [
      'switchboard_target_failing',
      [
        { labels: { target: 'orders' }, value: 1 },
        { labels: { target: 'crm' }, value: 0 },
      ],
    ],
    ['switchboard_target_blocked', ['orders', 'crm'].map((target) => ({ labels: { target }, value: 0 }))],
  ]);
});
