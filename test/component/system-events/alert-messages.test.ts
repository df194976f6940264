import { AlertsService } from '../../../src/relay/events/alerts.service';
import { EventsService } from '../../../src/relay/events/events.service';
import { DispatchWorker } from '../../../src/relay/deliveries/queue/dispatch.worker';
import { DeadLetterAlertsWorker } from '../../../src/relay/system-events/dead-letter-alerts.worker';
import { SystemEventsModule } from '../../../src/relay/system-events/system-events.module';
import type { TargetCreate } from '../../../src/contract/target';
import type { TargetRecord } from '../../../src/relay/targets/target-record';
import { TargetPausesWorker } from '../../../src/relay/targets/target-pauses.worker';
import { TargetsService } from '../../../src/relay/targets/targets.service';
import { FeatureHarness, HOUR_MS, useFeatureHarness } from '../../support/daemon/feature-harness';
import { draft, result } from '../../support/daemon/scratch-journal';
import { MessageServices, type HttpFormat } from '../../support/fakes/message-services';
import { until } from '../../support/until';

const MINUTE_MS = 60_000;
const FORMATS: HttpFormat[] = ['slack', 'teams', 'discord', 'pagerduty', 'ntfy', 'text'];
const CAUSES = [404, 422, 503];

describe('messages about alerts', () => {
  // Before the harness closes the database.
  afterEach(() => get(DispatchWorker).stop());
  const harness = useFeatureHarness(new FeatureHarness([SystemEventsModule]));
  let services: MessageServices;
  let stored = 0;

  beforeEach(async () => {
    services = await MessageServices.start();
    stored = 0;
    await open();
  });
  afterEach(() => services.close());

  const get = <Provider>(type: new (...parts: never[]) => Provider) =>
    harness.app.get(type, { strict: false });
  /** Opens the modules, and sends what is due. */
  const open = async () => {
    await harness.open();
    get(DispatchWorker).onListening();
  };
  const restart = async () => {
    await get(DispatchWorker).stop();
    await harness.close();
    await open();
  };
  const addTarget = async (name: string, url: string, more: Partial<TargetCreate> = {}) =>
    (
      await get(TargetsService).create({
        format: 'json',
        filter: null,
        enabled: true,
        policy: {},
        headers: [],
        tls: null,
        ...more,
        name,
        url,
      })
    ).record;
  const addMessageTargets = async (formats = FORMATS) => {
    for (const format of formats) await addTarget(format, services.urlOf(format), { format });
  };
  const pass = async (ms: number) => {
    harness.workspace.clock.time += ms;
    await get(DeadLetterAlertsWorker).tick();
    await get(AlertsService).tick();
    get(DispatchWorker).tick();
  };
  /** Nothing is queued any more. */
  const untilSent = () =>
    until('everything is sent', () => {
      get(DispatchWorker).tick();
      const [row] = harness.readRows<{ queued: number }>(
        'SELECT count(*) AS queued FROM deliveries WHERE finished_at IS NULL',
      );
      return row!.queued === 0;
    });
  /** Stores events for a paused target whose single attempts fail. */
  const addDeadLetters = async (shop: TargetRecord, count: number, status: number) => {
    const at = harness.workspace.clock.time;
    const outcomes = await Promise.all(
      Array.from({ length: count }, () => {
        stored += 1;
        return get(EventsService).record(draft(stored, { receivedAt: at }), {});
      }),
    );
    const seqs = outcomes.flatMap((outcome) => (outcome.status === 'accepted' ? [outcome.seq] : []));
    const attempt = {
      number: 1,
      at,
      durationMs: 5,
      status,
      error: 'http_status' as const,
      excerpt: null,
      transform: null,
      previous: null,
    };
    await Promise.all(
      seqs.map((seq) =>
        harness.journal.saveResult({
          ...result(seq, shop.number, { state: 'dead', note: `HTTP ${status}.` }),
          attempt,
        }),
      ),
    );
  };
  /** The state of each message that PagerDuty accepted. */
  const pagerdutyActions = () =>
    services.accepted.pagerduty.map(({ body }) => {
      const { event_action: action, dedup_key: key } = JSON.parse(body) as Record<string, string>;
      return { action, key };
    });

  it('are at most a dozen for ten thousand dead letters with three causes; each service accepts them, and every alert ends', async () => {
    await addMessageTargets();
    const shop = await addTarget('shop', 'http://127.0.0.1:9/');
    await get(TargetPausesWorker).pause([shop.id], { reason: 'Its results are made up.' });
    for (let minute = 0; minute < 50; minute += 1) {
      for (const status of CAUSES) await addDeadLetters(shop, 67, status);
      await pass(MINUTE_MS);
    }
    expect(stored).toBeGreaterThan(10_000);
    await pass(HOUR_MS);
    await untilSent();
    expect(services.rejected).toEqual([]);
    for (const format of FORMATS) {
      expect(services.accepted[format].length).toBeGreaterThanOrEqual(6);
      expect(services.accepted[format].length).toBeLessThanOrEqual(12);
    }
    const actions = pagerdutyActions();
    expect(actions.slice(0, 3).map(({ action }) => action)).toEqual(['trigger', 'trigger', 'trigger']);
    expect(actions.slice(-3).map(({ action }) => action)).toEqual(['resolve', 'resolve', 'resolve']);
    expect(new Set(actions.slice(-3).map(({ key }) => key))).toEqual(new Set(actions.map(({ key }) => key)));
    expect(get(AlertsService).active()).toEqual([]);
  });

  it('are neither repeated nor missing after a restart, and keep their order while a service is down', async () => {
    await addMessageTargets(['slack', 'pagerduty']);
    const shop = await addTarget('shop', 'http://127.0.0.1:9/');
    await get(TargetPausesWorker).pause([shop.id], { reason: 'Its results are made up.' });
    await addDeadLetters(shop, 1, 404);
    await pass(MINUTE_MS);
    await untilSent();
    expect(services.accepted.slack).toHaveLength(1);
    expect(services.accepted.slack[0]!.body).toContain('Critical: delivery dead');

    await restart();
    await pass(MINUTE_MS);
    services.down.add('pagerduty');
    await addDeadLetters(shop, 2, 404);
    await pass(10 * MINUTE_MS);
    await until('Slack is told the count', () => services.accepted.slack.length === 2);
    await restart();
    await get(TargetsService).remove(shop.id);
    await pass(MINUTE_MS);
    await until('Slack is told of the end', () => services.accepted.slack.length === 3);
    expect(services.accepted.slack[1]!.body).toContain('3 times');
    expect(services.accepted.slack[2]!.body).toContain('Resolved: delivery dead');

    expect(pagerdutyActions()).toHaveLength(1);
    services.down.clear();
    await until('PagerDuty received the rest', async () => {
      await pass(MINUTE_MS);
      return services.accepted.pagerduty.length === 3;
    });
    expect(pagerdutyActions().map(({ action }) => action)).toEqual(['trigger', 'trigger', 'resolve']);
    await restart();
    await pass(HOUR_MS);
    await untilSent();
    expect(services.accepted.slack).toHaveLength(3);
    expect(services.accepted.pagerduty).toHaveLength(3);
  });

  it('are about alerts and outages only, and not about the target itself', async () => {
    const slack = await addTarget('slack', services.urlOf('slack'), { format: 'slack' });
    await addTarget('ntfy', services.urlOf('ntfy'), { format: 'ntfy' });
    const publish = (data: object) =>
      get(EventsService).record(
        draft((stored += 1), { type: 'relay.some.event', receivedAt: harness.workspace.clock.time }),
        { data },
      );
    await publish({ state: 'opened', target_id: slack.id });
    await publish({ alert_id: 'alr_1', target_id: slack.id });
    await publish({ outage_id: 'out_1' });
    const planned = harness.readRows<{ event_seq: number; name: string }>(
      'SELECT event_seq, name FROM deliveries d JOIN targets t ON t.number = d.target_id ORDER BY event_seq, name',
    );
    expect(planned.map(({ event_seq: seq, name }) => `${seq} ${name}`)).toEqual([
      '2 ntfy',
      '3 ntfy',
      '3 slack',
    ]);
  });

  it('that were not delivered raise an alert at the other targets, which ends even if those fail as well', async () => {
    const once: Partial<TargetCreate> = {
      format: 'slack',
      policy: { retry: { delays_s: [] }, breaker: null },
    };
    await addTarget('slack', 'http://127.0.0.1:9/', once);
    await addTarget('other slack', 'http://127.0.0.1:9/', once);
    await addTarget('ntfy', services.urlOf('ntfy'), { format: 'ntfy' });
    get(AlertsService).raise({
      type: 'relay.disk.low',
      subject: '',
      severity: 'warning',
      sentence: 'The disk is nearly full.',
      remedy: 'Free some space.',
      quietAfterMs: MINUTE_MS,
    });
    const types = () => services.accepted.ntfy.map(({ headers }) => headers['title']);
    await until('the failures are reported', async () => {
      await pass(1_000);
      return types().length >= 3;
    });
    for (let minute = 0; minute < 180; minute += 10) {
      await pass(10 * MINUTE_MS);
      await untilSent();
    }
    const ended = types().filter((title) => title === 'Resolved: alerts undelivered');
    expect(ended.length).toBeGreaterThanOrEqual(2);
    expect(types().length).toBeLessThanOrEqual(12);
    expect(types()).toContain('Resolved: disk low');
    expect(get(AlertsService).active()).toEqual([]);
    const before = types().length;
    for (let hour = 0; hour < 5; hour += 1) await pass(HOUR_MS);
    await untilSent();
    expect(types()).toHaveLength(before);
  });
});
