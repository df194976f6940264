import { Injectable } from '@nestjs/common';
import type { WritingPart } from '../database/disk-faults';
import { Journal } from '../database/journal';
import { Alerts } from '../events/alerts';

const FAILED = 'relay.disk.failed';

const SENTENCES: Record<WritingPart, (code: string) => string> = {
  commit: (code) =>
    `Nothing can be stored (${code}): notifications are answered 503, and Co-Pilot gives up after half a minute.`,
  checkpoint: (code) =>
    `What was stored cannot be copied from the log beside the database into it (${code}). Nothing is lost, but the log grows.`,
};

/** Raises an alert while the disk of the database refuses what is written. */
@Injectable()
export class WatchDisk {
  constructor(
    journal: Journal,
    private readonly alerts: Alerts,
  ) {
    journal.onDiskFault((part, code) => this.tellFault(part, code));
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
