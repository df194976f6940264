import { Inject, Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../clock';
import { Journal } from '../database/journal';
import { LOG, type Log } from '../log';
import { Settings } from '../settings/settings';

const DAY_MS = 24 * 60 * 60 * 1_000;
const RUN_EVERY_MS = 60 * 60 * 1_000;
const TICK_MS = 60 * 1_000;

/** Events a step looks at: a step shares its transaction with notifications that wait for their answer. */
const STEP_EVENTS = 100;

/** Removes events past their age, step by step, once an hour. An event with an unfinished delivery stays. */
@Injectable()
export class Retention {
  private lastRunAt = 0;
  private running = false;

  constructor(
    private readonly settings: Settings,
    private readonly journal: Journal,
    private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  @Interval(TICK_MS)
  async tick(): Promise<void> {
    const now = this.clock.now();
    if (this.settings.retentionDays === 0 || this.running || now - this.lastRunAt < RUN_EVERY_MS) return;
    this.running = true;
    this.lastRunAt = now;
    try {
      await this.run(now - this.settings.retentionDays * DAY_MS);
    } catch (error) {
      this.log.error({ err: error }, 'retention failed');
    } finally {
      this.running = false;
    }
  }

  /** @param before ms since 1970: what was received earlier goes */
  async run(before: number): Promise<void> {
    let removed = 0;
    for (let after: number | null = 0; after !== null;) {
      const step = await this.journal.prune({ before, after, limit: STEP_EVENTS });
      removed += step.removed;
      after = step.next;
    }
    if (removed > 0) this.log.info({ removed, before }, 'retention');
  }
}
