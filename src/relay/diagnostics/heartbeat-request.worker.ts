import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../ground/clock';
import { Log } from '../ground/log';
import { NonOverlapping } from '../ground/non-overlapping';
import type { OnListening } from '../ground/on-listening';
import { Settings } from '../settings/settings';
import { HubHealthQuery } from './hub-health/hub-health.query';
import { HealthService } from './health.service';

const INTERVAL_MS = 60_000;
const TIMEOUT_MS = 10_000;
/** A failure that lasts is logged again after this time. */
const LOG_INTERVAL_MS = 60 * 60_000;

/** Areas of issues that mean, if critical, that notifications do not arrive or cannot be stored. */
const INTAKE_AREAS = ['connection', 'subscription', 'notification', 'disk'];

/**
 * Requests `SWITCHBOARD_HEARTBEAT_URL` every minute while the daemon is healthy: every check of `/readyz` passes, and
 * no critical issue is about receiving or storing notifications. The monitor behind the URL notices when the requests
 * end, whatever the reason. The URL is a secret, so only the code of an error is logged.
 */
@Injectable()
export class HeartbeatRequestWorker implements OnListening, OnModuleDestroy {
  private started = false;
  /** When a failure was last logged, by monotonic time; null while requests succeed. */
  private loggedAt: number | null = null;
  private readonly stopping = new AbortController();
  private readonly requests = new NonOverlapping(
    () => this.sendIfHealthy(),
    (error) => this.reportFailure({ code: codeOf(error as Error) }),
  );

  constructor(
    private readonly settings: Settings,
    private readonly health: HealthService,
    private readonly hubHealth: HubHealthQuery,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  onListening(): void {
    this.started = true;
    void this.tick();
  }

  @Interval(INTERVAL_MS)
  tick(): Promise<void> {
    return this.started ? this.requests.run() : Promise.resolve();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.requests.stop();
  }

  private async sendIfHealthy(): Promise<void> {
    const { heartbeatUrl } = this.settings;
    if (heartbeatUrl === null || !(await this.isHealthy())) return;
    const { request } = await import('undici');
    const { statusCode, body } = await request(heartbeatUrl, {
      signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), this.stopping.signal]),
    });
    await body.dump();
    if (statusCode >= 300) return this.reportFailure({ status: statusCode });
    if (this.loggedAt !== null) this.log.info('heartbeat requests succeed again');
    this.loggedAt = null;
  }

  private async isHealthy(): Promise<boolean> {
    if (!(await this.health.run()).every(({ ok }) => ok)) return false;
    const { issues } = await this.hubHealth.read();
    return !issues.some(
      ({ code, severity }) => severity === 'critical' && INTAKE_AREAS.includes(code.split('.')[0]!),
    );
  }

  private reportFailure(fields: { status: number } | { code: string }): void {
    const now = this.clock.monotonic();
    if (this.stopping.signal.aborted || (this.loggedAt !== null && now - this.loggedAt < LOG_INTERVAL_MS))
      return;
    this.loggedAt = now;
    this.log.warn(fields, 'SWITCHBOARD_HEARTBEAT_URL did not accept a heartbeat request');
  }
}

/** The `code` of a DOMException, such as that of a timeout, is a number. */
const codeOf = (error: Error & { code?: unknown }): string =>
  typeof error.code === 'string' ? error.code : error.name;
