import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { WritingPart } from '../database/journal/disk-failures';
import { criticalThreshold, DiskSpace, lowThreshold } from '../database/disk-space';
import { Journal } from '../database/journal';
import { AlertsService } from '../events/alerts.service';
import { mayFreeSpace } from '../events/retention/retention.worker';
import { formatSize } from '../ground/format-size';
import { Log } from '../ground/log';
import { NonOverlapping } from '../ground/non-overlapping';
import { Settings } from '../settings/settings';

const TICK_MS = 10_000;

const FAILED = 'relay.disk.failed';
const LOW = 'relay.disk.low';

/** Hysteresis: the alert is resolved only this far above the threshold. */
const RESOLVE_FACTOR = 1.1;

const SENTENCES: Record<WritingPart, (code: string) => string> = {
  commit: (code) =>
    `Nothing can be stored (${code}): notifications are rejected with 503, and Co-Pilot stops retrying after 30 seconds.`,
  checkpoint: (code) =>
    `The write-ahead log cannot be checkpointed into the database (${code}). Nothing is lost, but the log grows.`,
};

/** Raises an alert while the database disk is low on space, and while writes fail. */
@Injectable()
export class DiskAlertsWorker implements OnModuleDestroy {
  private readonly checks = new NonOverlapping(
    () => this.check(),
    (error) => this.log.error({ err: error }, 'free disk space not read'),
  );

  constructor(
    journal: Journal,
    private readonly disk: DiskSpace,
    private readonly settings: Settings,
    private readonly alerts: AlertsService,
    private readonly log: Log,
  ) {
    journal.onDiskFailure((part, code) => this.reportFault(part, code));
  }

  @Interval(TICK_MS)
  tick(): Promise<void> {
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
      sentence: `${left}. Once it is full, notifications are rejected with 503 and lost.${isCritical && mayFreeSpace(this.settings) ? ' The oldest finished events are removed to free space.' : ''}`,
      remedy:
        'Free disk space, or keep less: SWITCHBOARD_RETENTION_DAYS, SWITCHBOARD_DEAD_LETTER_DAYS, SWITCHBOARD_RETENTION_BYTES.',
      data: { free_bytes: freeBytes, total_bytes: totalBytes },
    });
  }

  private reportFault(part: WritingPart, code: string | null): void {
    if (code === null) return this.alerts.resolve(FAILED, part, 'The disk can be written again.');
    this.alerts.raise({
      type: FAILED,
      subject: part,
      severity: 'critical',
      sentence: SENTENCES[part](code),
      remedy: 'Free space on the database disk, or repair it. The daemon then continues automatically.',
      data: { code },
    });
  }
}
