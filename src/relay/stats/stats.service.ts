import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Stats, StatsPoint } from '../../contract/stats';
import { Clock } from '../ground/clock';
import { Journal } from '../database/journal';
import { Backlog } from '../deliveries/queue/backlog';
import { Dispatcher } from '../deliveries/queue/dispatcher';
import { isSystemEvent } from '../events/is-system-event';
import { AckMeter } from '../intake/ack-meter';
import { RefusedNotifications } from '../intake/refused-notifications';
import { TargetsService } from '../targets/targets.service';
import { TimeBounds } from '../ground/time-bounds';

const STEP_SECONDS = 5;
const STEPS = 60;

type Counts = Omit<StatsPoint, 'at'>;

/** What happened in the last five minutes and how things stand, counted as it is committed. */
@Injectable()
export class StatsService implements OnModuleInit {
  private readonly startedAt: number;
  private readonly steps = new Map<number, Counts>();
  private lastSeq = 0;

  constructor(
    clock: Clock,
    private readonly bounds: TimeBounds,
    private readonly backlog: Backlog,
    private readonly dispatcher: Dispatcher,
    private readonly meter: AckMeter,
    private readonly refused: RefusedNotifications,
    private readonly targets: TargetsService,
    private readonly source: DataSource,
    journal: Journal,
  ) {
    this.startedAt = clock.now();
    journal.onCommit(({ events, settled }) => {
      const counts = this.countsNow();
      counts.events += events.filter(({ draft }) => !isSystemEvent(draft)).length;
      this.lastSeq = events.at(-1)?.seq ?? this.lastSeq;
      for (const { state } of settled) counts[state === 'succeeded' ? 'delivered' : 'failed'] += 1;
    });
  }

  async onModuleInit(): Promise<void> {
    const [newest] = await this.source.query<{ seq: number | null }[]>('SELECT max(seq) AS seq FROM events');
    this.lastSeq = newest?.seq ?? 0;
  }

  async current(): Promise<Stats> {
    const numbers = this.targets.all().map(({ number }) => number);
    const oldest = await this.backlog.oldestAt(numbers);
    return {
      started_at: new Date(this.startedAt).toISOString(),
      last_seq: this.lastSeq,
      received: { ...this.meter.counts },
      not_stored: this.refused.sinceStart,
      ack_ms: this.meter.acks,
      deliveries: {
        open: this.backlog.openTotal,
        in_flight: numbers.reduce((sum, number) => sum + this.dispatcher.inFlight(number), 0),
        dead: this.backlog.deadTotal,
        oldest_open_at: oldest === null ? null : new Date(oldest).toISOString(),
      },
      step_seconds: STEP_SECONDS,
      series: this.series(),
    };
  }

  private countsNow(): Counts {
    const step = this.stepNow();
    const counts = this.steps.get(step) ?? { events: 0, delivered: 0, failed: 0 };
    this.steps.set(step, counts);
    for (const old of this.steps.keys()) {
      if (old > step - STEPS) break;
      this.steps.delete(old);
    }
    return counts;
  }

  /** Every step, the empty ones included, the present one last. */
  private series(): StatsPoint[] {
    const now = this.stepNow();
    return Array.from({ length: STEPS }, (_, i) => {
      const step = now - STEPS + 1 + i;
      const counts = this.steps.get(step) ?? { events: 0, delivered: 0, failed: 0 };
      const at = this.bounds.shown(step * STEP_SECONDS * 1_000);
      return { at: new Date(at).toISOString(), ...counts };
    });
  }

  private stepNow(): number {
    return Math.floor(this.bounds.latest() / 1_000 / STEP_SECONDS);
  }
}
