import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { WritingPart } from '../database/journal/disk-faults';
import { criticalThreshold, DiskSpace, lowThreshold } from '../database/disk-space';
import { Journal } from '../database/journal';
import { Alerts } from '../events/alerts';
import { makesRoom } from '../events/retention/retention';
import { formatSize } from '../ground/format-size';
import { Log } from '../ground/log';
import { NonOverlapping } from '../ground/non-overlapping';
import { Settings } from '../settings/settings';

const TICK_MS = 10_000;

const FAILED = 'relay.disk.failed';
const LOW = 'relay.disk.low';

/** It is over with so much more than the mark: else it would come and go. */
const WELL_ABOVE = 1.1;

const SENTENCES: Record<WritingPart, (code: string) => string> = {
  commit: (code) =>
    `Nothing can be stored (${code}): notifications are answered 503, and Co-Pilot gives up after half a minute.`,
  checkpoint: (code) =>
    `What was stored cannot be copied from the log beside the database into it (${code}). Nothing is lost, but the log grows.`,
};

/** Raises an alert while the disk of the database has little left, and while it refuses what is written. */
@Injectable()
export class WatchDisk implements OnModuleDestroy {
  private readonly looks = new NonOverlapping(
    () => this.look(),
    (error) => this.log.error({ err: error }, 'free disk space not read'),
  );

  constructor(
    journal: Journal,
    private readonly disk: DiskSpace,
    private readonly settings: Settings,
    private readonly alerts: Alerts,
    private readonly log: Log,
  ) {
    journal.onDiskFault((part, code) => this.tellFault(part, code));
  }

  @Interval(TICK_MS)
  tick(): Promise<void> {
    return this.looks.run();
  }

  onModuleDestroy(): Promise<void> {
    return this.looks.stop();
  }

  private async look(): Promise<void> {
    const room = await this.disk.read();
    if (room === null) return;
    const { free, total } = room;
    const mark = lowThreshold(total);
    const left = `${formatSize(free)} of ${formatSize(total)} are free on the disk of the database`;
    if (free >= mark * WELL_ABOVE) this.alerts.resolve(LOW, '', `${left} again.`);
    if (free >= mark) return;
    const isCritical = free < criticalThreshold(total);
    this.alerts.raise({
      type: LOW,
      subject: '',
      severity: isCritical ? 'critical' : 'warning',
      sentence: `${left}. Once it is full, notifications are answered 503, and lost.${isCritical && makesRoom(this.settings) ? ' The oldest finished events are removed to make room.' : ''}`,
      remedy:
        'Make room on this disk, or keep less: SWITCHBOARD_RETENTION_DAYS, SWITCHBOARD_DEAD_LETTER_DAYS, SWITCHBOARD_RETENTION_BYTES.',
      data: { free_bytes: free, total_bytes: total },
    });
  }

  private tellFault(part: WritingPart, code: string | null): void {
    if (code === null) return this.alerts.resolve(FAILED, part, 'The disk takes what is written again.');
    this.alerts.raise({
      type: FAILED,
      subject: part,
      severity: 'critical',
      sentence: SENTENCES[part](code),
      remedy: 'Make room on the disk of the database, or repair it. The daemon continues by itself.',
      data: { code },
    });
  }
}
