import { Injectable } from '@nestjs/common';
import { Journal } from '../../database/journal/journal';
import { Clock } from '../../ground/clock';
import { deliveryKeyText, type DeliveryKey } from '../../ground/ids';
import { LeaderLink } from '../../ground/leader-link';

/** Daemons report it every second. */
const KEEP_MS = 3_000;

/** For the leader: what other daemons have in flight, by the last report of each. */
@Injectable()
export class InFlightOfOthers {
  private readonly byDaemon = new Map<string, { keys: Map<string, DeliveryKey>; until: number }>();

  constructor(
    journal: Journal,
    leaderLink: LeaderLink,
    private readonly clock: Clock,
  ) {
    journal.onCommit(({ results }) => {
      for (const { key } of results)
        for (const { keys } of this.byDaemon.values()) keys.delete(deliveryKeyText(key));
    });
    leaderLink.onMessage((message) => {
      if (message.kind !== 'in_flight') return;
      this.byDaemon.set(message.daemon, {
        keys: new Map(message.keys.map((key) => [deliveryKeyText(key), key])),
        until: clock.monotonic() + KEEP_MS,
      });
    });
  }

  has(key: DeliveryKey): boolean {
    return this.current().some((keys) => keys.has(deliveryKeyText(key)));
  }

  keys(): DeliveryKey[] {
    return this.current().flatMap((keys) => [...keys.values()]);
  }

  private current(): Map<string, DeliveryKey>[] {
    const now = this.clock.monotonic();
    for (const [daemon, { until }] of this.byDaemon) if (until <= now) this.byDaemon.delete(daemon);
    return [...this.byDaemon.values()].map(({ keys }) => keys);
  }
}
