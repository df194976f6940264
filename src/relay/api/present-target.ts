import { Injectable } from '@nestjs/common';
import type { Target } from '../../contract/target';
import { Backlog } from '../deliveries/backlog';
import { Dispatcher } from '../deliveries/dispatcher';
import type { TargetRecord } from '../targets/target-record';

/** A target as it is shown: with what waits for it, without its secret. */
@Injectable()
export class PresentTarget {
  constructor(
    private readonly backlog: Backlog,
    private readonly dispatcher: Dispatcher,
  ) {}

  async present({
    number,
    id,
    name,
    url,
    events,
    enabled,
    paused,
    createdAt,
    updatedAt,
  }: TargetRecord): Promise<Target> {
    const oldestAt = await this.backlog.oldestAt([number]);
    return {
      id,
      name,
      url,
      events,
      enabled,
      paused: paused === null ? null : { at: new Date(paused.at).toISOString(), reason: paused.reason },
      backlog: {
        open: this.backlog.open(number),
        in_flight: this.dispatcher.inFlight(number),
        oldest_at: oldestAt === null ? null : new Date(oldestAt).toISOString(),
      },
      created_at: new Date(createdAt).toISOString(),
      updated_at: new Date(updatedAt).toISOString(),
    };
  }
}
