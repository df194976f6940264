import { pino } from 'pino';
import type { HubHealthQuery } from '../../../src/relay/diagnostics/hub-health/hub-health.query';
import { HealthService } from '../../../src/relay/diagnostics/health.service';
import { HeartbeatRequestWorker } from '../../../src/relay/diagnostics/heartbeat-request.worker';
import type { Journal } from '../../../src/relay/database/journal/journal';
import type { Settings } from '../../../src/relay/settings/settings';
import { TestClock } from '../../support/clock';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { until } from '../../support/until';

describe('heartbeat requests', () => {
  const clock = new TestClock();
  const issues: { code: string; severity: string }[] = [];
  let isReady = true;
  let monitor: RecordingTarget;
  let worker: HeartbeatRequestWorker;

  beforeAll(async () => {
    monitor = await RecordingTarget.start();
    const health = new HealthService(
      { change: async () => ({}), onDiskFailure: () => undefined } as unknown as Journal,
      clock,
    );
    health.add({ name: 'dispatcher', check: async () => isReady });
    const settings = { heartbeatUrl: monitor.url } as unknown as Settings;
    const hubHealth = { read: async () => ({ issues }) } as unknown as HubHealthQuery;
    worker = new HeartbeatRequestWorker(settings, health, hubHealth, clock, pino({ level: 'silent' }));
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
    issues.length = 0;
    isReady = true;
  });

  /** Whether the monitor is told that the daemon is healthy. */
  const isTold = async () => {
    clock.move(60_000);
    const before = monitor.hits.length;
    await worker.tick();
    return monitor.hits.length > before;
  };

  it.each(['connection.down', 'subscription.unreachable', 'disk.failed'])(
    'stop while the critical issue %s says that notifications do not arrive, and continue afterwards',
    async (code) => {
      issues.push({ code, severity: 'critical' });
      expect(await isTold()).toBe(false);
      issues[0]!.severity = 'warning';
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
    issues.push({ code: 'delivery.dead', severity: 'critical' });
    expect(await isTold()).toBe(true);
  });
});
