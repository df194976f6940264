import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../ground/clock';
import { Log } from '../ground/log';
import { GapEvents } from './gap-events';
import { outageSince, readLastUse } from './last-use';

/**
 * Of a daemon that does not lead: it may receive notifications before the leader has recorded the outage that they end,
 * so it stores the gap event too, which comes before them then. The leader stores it before its heartbeat.
 */
@Injectable()
export class GapBeforeStart implements OnApplicationBootstrap {
  constructor(
    private readonly source: DataSource,
    private readonly gaps: GapEvents,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const outage = outageSince(await readLastUse(this.source), this.clock.now());
    if (outage === null) return;
    await this.gaps
      .publish(outage)
      .catch((error: unknown) => this.log.warn({ err: error }, 'gap event left to the leader'));
  }
}
