import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Journal } from '../database/journal/journal';
import { Reader } from '../database/reading/reader';
import { Backlog } from '../deliveries/queue/backlog';
import { Leadership } from '../ground/leadership';
import { Log } from '../ground/log';
import type { OnListening } from '../ground/on-listening';
import { PollLoop } from '../ground/poll-loop';
import type { TargetRecord } from '../targets/target-record';
import { TargetsService } from '../targets/targets.service';
import { routeBlock } from './route-block';

/** After this, a block that could not be routed is tried again. */
const RETRY_AFTER_MS = 1_000;

/** How far the router is; null without routed targets. */
export interface RouterLag {
  position: number;
  newest: number;
}

const LAG = 'SELECT position, (SELECT coalesce(max(seq), 0) FROM events) AS newest FROM router';

/**
 * Follows the stored events by `seq`, and creates their deliveries to routed targets. The deliveries of a block and the
 * position behind it are stored in one transaction, so a crash neither loses nor repeats any. It runs at the leader:
 * what a former one writes is refused.
 */
@Injectable()
export class RouterWorker extends PollLoop implements OnListening, OnModuleDestroy {
  private routed: readonly TargetRecord[] = [];
  private position = 0;
  /** Of another daemon's event, only what was planned with it may be stored before it is published. */
  private published = 0;
  private retry: NodeJS.Timeout | undefined;

  constructor(
    private readonly reader: Reader,
    private readonly journal: Journal,
    private readonly targets: TargetsService,
    private readonly backlog: Backlog,
    private readonly leadership: Leadership,
    private readonly log: Log,
  ) {
    super((error) => this.onFailed(error));
    journal.onCommit(({ events }) => {
      if (events.length === 0) return;
      this.published = events.at(-1)!.seq;
      if (this.routed.length > 0) this.poll();
    });
    targets.onChange(() => this.updateTargets());
  }

  onListening(): void {
    if (!this.leadership.leads) return;
    this.published = Math.max(this.published, this.backlog.countedThrough);
    this.start();
    this.updateTargets();
  }

  async onModuleDestroy(): Promise<void> {
    await this.stop();
    clearTimeout(this.retry);
  }

  async lag(): Promise<RouterLag | null> {
    if (this.targets.all().every(({ routing }) => routing === null)) return null;
    const [lag] = await this.reader.all<RouterLag>([LAG, []]);
    return lag ?? null;
  }

  /** To how many targets an event may still be sent. */
  awaiting(seq: number): number {
    return seq > this.position ? this.routed.length : 0;
  }

  protected async read(): Promise<void> {
    if (this.routed.length === 0) return;
    const lag = await this.lag();
    if (lag === null) return;
    this.position = lag.position;
    while (!this.isStopped) {
      const { routed } = this;
      const block = await routeBlock(this.position, this.published, routed, this.reader);
      // If targets have changed meanwhile, it is read again.
      if (block === null || this.routed !== routed) break;
      await this.journal.change({ statements: block.statements, schedule: block.schedule });
      this.position = block.position;
    }
    for (const target of this.routed)
      if (target.routing === 'draining' && !this.isStopped) await this.targets.endRouting(target);
  }

  private updateTargets(): void {
    this.routed = this.targets.all().filter(({ routing }) => routing !== null);
    if (this.routed.length > 0) this.poll();
  }

  private onFailed(error: unknown): void {
    this.log.warn({ err: error }, 'events could not be routed; it is tried again');
    clearTimeout(this.retry);
    this.retry = setTimeout(() => this.poll(), RETRY_AFTER_MS);
  }
}
