import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { AppendOutcome } from '../database/journal';
import { LOG, type Log } from '../log';

type Refused = Extract<AppendOutcome, { status: 'refused' }>;

const TELL_EVERY_MS = 1_000;

/** Tells of what was answered 503, at most once a second: a disk that is full refuses thousands, and may hold the log too. */
@Injectable()
export class RefusedNotifications implements OnModuleDestroy {
  private counts = new Map<string, number>();

  constructor(@Inject(LOG) private readonly log: Log) {}

  add({ reason, cause }: Refused): void {
    const why = cause === undefined ? reason : `${reason} ${cause}`;
    this.counts.set(why, (this.counts.get(why) ?? 0) + 1);
  }

  @Interval(TELL_EVERY_MS)
  tell(): void {
    if (this.counts.size === 0) return;
    const reasons = Object.fromEntries(this.counts);
    this.counts = new Map();
    this.log.error({ refused: reasons }, 'notifications not stored; they were answered 503');
  }

  onModuleDestroy(): void {
    this.tell();
  }
}
