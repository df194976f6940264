import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Stats, StatsPoint } from '../../contract/stats';
import { Clock } from '../ground/clock';
import { Journal } from '../database/journal/journal';
import { Backlog } from '../deliveries/queue/backlog';
import { DispatchWorker } from '../deliveries/queue/dispatch.worker';
import { isUnsigned } from '../events/event.entity';
import { AckMeter } from '../intake/ack-meter';
import { NotStoredWorker } from '../intake/not-stored.worker';
import { TargetsService } from '../targets/targets.service';
import { TimeBounds } from '../ground/time-bounds';
import { isoOrNull } from '../ground/iso-time';

const STEP_SECONDS = 5;
const STEPS = 60;

type Counts = Omit<StatsPoint, 'at'>;

/** Counts of the last five minutes, counted at commit, and the current backlog. */
@Injectable()
export class StatsService implements OnModuleInit {
  private readonly startedAt: number;
  private readonly steps = new Map<number, Counts>();
  private lastSeq = 0;

  constructor(
    clock: Clock,
    private readonly bounds: TimeBounds,
    private readonly backlog: Backlog,
    private readonly dispatcher: DispatchWorker,
    private readonly meter: AckMeter,
    private readonly notStored: NotStoredWorker,
    private readonly targets: TargetsService,
    private readonly source: DataSource,
    journal: Journal,
  ) {
    this.startedAt = clock.now();
    journal.onCommit(({ events, results }) => {
      const counts = this.countsNow();
      counts.events += events.filter(({ draft }) => !isUnsigned(draft)).length;
      this.lastSeq = events.at(-1)?.seq ?? this.lastSeq;
      for (const { state } of results) counts[state === 'succeeded' ? 'delivered' : 'failed'] += 1;
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
      not_stored: this.notStored.sinceStart,
      ack_ms: this.meter.durations,
      deliveries: {
        open: this.backlog.queuedTotal,
        in_flight: numbers.reduce((sum, number) => sum + this.dispatcher.inFlight(number), 0),
        dead: this.backlog.deadTotal,
        oldest_open_at: isoOrNull(oldest),
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

  /** All steps including empty ones, the current one last. */
  private series(): StatsPoint[] {
    const now = this.stepNow();
    return Array.from({ length: STEPS }, (_, i) => {
      const step = now - STEPS + 1 + i;
      const counts = this.steps.get(step) ?? { events: 0, delivered: 0, failed: 0 };
      const at = this.bounds.toWallClock(step * STEP_SECONDS * 1_000);
      return { at: new Date(at).toISOString(), ...counts };
    });
  }

  private stepNow(): number {
    return Math.floor(this.bounds.latest() / 1_000 / STEP_SECONDS);
  }
}
