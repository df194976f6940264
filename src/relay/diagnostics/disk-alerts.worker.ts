import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { RETRIED_FOR_MS } from '../../protocol/limits';
import type { WritingPart } from '../database/journal/disk-failures';
import { criticalThreshold, DiskSpace, lowThreshold } from '../database/disk-space';
import { Journal } from '../database/journal/journal';
import { describeStorageFault } from '../database/journal/storage-fault';
import type { Alert } from '../events/alert';
import { AlertsService } from '../events/alerts.service';
import { mayFreeSpace } from '../events/retention/retention.worker';
import { Clock } from '../ground/clock';
import { formatSize } from '../ground/format-size';
import { Log } from '../ground/log';
import { NonOverlapping } from '../ground/non-overlapping';
import { Settings } from '../settings/settings';

const TICK_MS = 10_000;

const FAILED = 'relay.disk.failed';
const LOW = 'relay.disk.low';

/** Hysteresis: the alert is resolved only this far above the threshold. */
const RESOLVE_FACTOR = 1.1;

const SENTENCES: Record<WritingPart, (cause: string) => string> = {
  commit: (cause) =>
    `Nothing can be stored: ${cause}. Notifications are rejected with 503, and Co-Pilot stops retrying after 30 seconds.`,
  checkpoint: (cause) =>
    `The write-ahead log cannot be checkpointed into the database: ${cause}. Nothing is lost, but the log grows.`,
};

const WRITABLE = 'The database can be written again.';

interface Failing {
  code: string;
  since: number;
  severity: Alert['severity'] | null;
}

/** Raises an alert while the database disk is low on space, and while writes fail. */
@Injectable()
export class DiskAlertsWorker implements OnModuleDestroy {
  /** What fails, since when by monotonic time, and the severity that was raised. */
  private readonly failing = new Map<WritingPart, Failing>();
  private readonly checks = new NonOverlapping(
    () => this.check(),
    (error) => this.log.error({ err: error }, 'free disk space not read'),
  );

  constructor(
    journal: Journal,
    private readonly disk: DiskSpace,
    private readonly settings: Settings,
    private readonly alerts: AlertsService,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    journal.onDiskFailure((part, code) => this.reportFault(part, code));
  }

  @Interval(TICK_MS)
  tick(): Promise<void> {
    for (const [part, failing] of this.failing) this.raiseFault(part, failing);
    return this.checks.run();
  }

  onModuleDestroy(): Promise<void> {
    return this.checks.stop();
  }

  private async check(): Promise<void> {
    const space = await this.disk.read();
    if (space === null) return;
    const { freeBytes, totalBytes } = space;
    const threshold = lowThreshold(totalBytes);
    const left = `${formatSize(freeBytes)} of ${formatSize(totalBytes)} are free on the database disk`;
    if (freeBytes >= threshold * RESOLVE_FACTOR) this.alerts.resolve(LOW, '', `${left} again.`);
    if (freeBytes >= threshold) return;
    const isCritical = freeBytes < criticalThreshold(totalBytes);
    this.alerts.raise({
      type: LOW,
      subject: '',
      severity: isCritical ? 'critical' : 'warning',
      sentence: `${left}. Once it is full, notifications are rejected with 503 and lost.${isCritical && mayFreeSpace(this.settings) ? ' Finished events older than a day are removed to free space, the oldest first.' : ''}`,
      remedy:
        'Free disk space, or keep less: SWITCHBOARD_RETENTION_DAYS, SWITCHBOARD_DEAD_LETTER_DAYS, SWITCHBOARD_RETENTION_BYTES.',
      data: { free_bytes: freeBytes, total_bytes: totalBytes },
    });
  }

  private reportFault(part: WritingPart, code: string | null): void {
    if (code === null) {
      this.failing.delete(part);
      return this.alerts.resolve(FAILED, part, WRITABLE);
    }
    const since = this.failing.get(part)?.since ?? this.clock.monotonic();
    const failing = { code, since, severity: null };
    this.failing.set(part, failing);
    this.raiseFault(part, failing);
  }

  /** Raises the alert, unless it has been raised with the severity that it has now. */
  private raiseFault(part: WritingPart, failing: Failing): void {
    const { code, since } = failing;
    const { what, remedy, isTemporary } = describeStorageFault(code, this.settings);
    const severity = isTemporary && this.clock.monotonic() - since < RETRIED_FOR_MS ? 'warning' : 'critical';
    if (severity === failing.severity) return;
    failing.severity = severity;
    this.alerts.raise({
      type: FAILED,
      subject: part,
      severity,
      sentence: SENTENCES[part](`${what} (${code})`),
      remedy: `${remedy} The daemon then continues automatically.`,
      data: { code },
    });
  }
}
