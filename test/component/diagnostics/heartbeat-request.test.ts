import { pino } from 'pino';
import type { AlertsService } from '../../../src/relay/events/alerts.service';
import { HealthService } from '../../../src/relay/diagnostics/health.service';
import { HeartbeatRequestWorker } from '../../../src/relay/diagnostics/heartbeat-request.worker';
import type { Journal } from '../../../src/relay/database/journal';
import type { Settings } from '../../../src/relay/settings/settings';
import { TestClock } from '../../support/clock';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { until } from '../../support/until';

describe('heartbeat requests', () => {
  const clock = new TestClock();
  const active: { type: string; severity: string }[] = [];
  let isReady = true;
  let monitor: RecordingTarget;
  let worker: HeartbeatRequestWorker;

  beforeAll(async () => {
    monitor = await RecordingTarget.start();
    const health = new HealthService({ change: async () => ({}) } as unknown as Journal, clock);
    health.add({ name: 'dispatcher', check: async () => isReady });
    const settings = { heartbeatUrl: monitor.url } as unknown as Settings;
    const alerts = { active: () => active } as unknown as AlertsService;
    worker = new HeartbeatRequestWorker(settings, health, alerts, clock, pino({ level: 'silent' }));
    worker.onListening();
    await until('the request of the start has ended', async () => {
      await worker.tick();
      return monitor.hits.length > 1;
    });
  });
  afterAll(async () => {
    await worker.onModuleDestroy();
    await monitor.close();
  });
  beforeEach(() => {
    active.length = 0;
    isReady = true;
  });

  /** Whether the monitor is told that the daemon is healthy. */
  const isTold = async () => {
    clock.move(60_000);
    const before = monitor.hits.length;
    await worker.tick();
    return monitor.hits.length > before;
  };

  it.each(['relay.connection.down', 'relay.subscription.unreachable', 'relay.disk.failed'])(
    'stop while the critical alert %s says that notifications do not arrive, and continue afterwards',
    async (type) => {
      active.push({ type, severity: 'critical' });
      expect(await isTold()).toBe(false);
      active[0]!.severity = 'warning';
      expect(await isTold()).toBe(true);
    },
  );

  it('stop while a check of /readyz fails', async () => {
    isReady = false;
    expect(await isTold()).toBe(false);
    isReady = true;
    expect(await isTold()).toBe(true);
  });

  it('continue while a target fails', async () => {
    active.push({ type: 'relay.delivery.dead', severity: 'critical' });
    expect(await isTold()).toBe(true);
  });
});
