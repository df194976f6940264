import { Injectable } from '@nestjs/common';
import type { Target } from '../../contract/target';
import type { Operator } from '../access/operator';
import { allows } from '../access/scopes';
import { Clock } from '../ground/clock';
import { Backlog } from '../deliveries/queue/backlog';
import { Breakers } from '../deliveries/sending/breakers';
import { Dispatcher } from '../deliveries/queue/dispatcher';
import { maskQuery } from '../targets/address-credentials';
import type { TargetRecord } from '../targets/target-record';
import { TimeBounds } from '../ground/time-bounds';
import { warnOfSettings } from '../targets/warn-of-settings';

/** A target as it is shown: with what waits for it, without its secrets. */
@Injectable()
export class PresentTarget {
  constructor(
    private readonly backlog: Backlog,
    private readonly breakers: Breakers,
    private readonly dispatcher: Dispatcher,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
  ) {}

  /** @param caller whoever may only read is not shown the query of the address, which often carries a key */
  async present(record: TargetRecord, { scopes }: Operator): Promise<Target> {
    const { number, id, name, url, events, filter, enabled, policy, headers, tls, paused, disabled } = record;
    const oldestAt = await this.backlog.oldestAt([number]);
    return {
      id,
      name,
      url: allows(scopes, ['operate']) ? url : maskQuery(url),
      events,
      filter,
      enabled,
      policy,
      headers: headers.map((header) => ({ ...header, value: header.secret ? null : header.value })),
      tls: tls && { ca: tls.ca, cert: tls.cert, has_key: tls.key !== null, verify: tls.verify },
      signs_twice_until: this.overlapEnd(record),
      paused: paused === null ? null : { at: new Date(paused.at).toISOString(), reason: paused.reason },
      disabled:
        disabled === null ? null : { at: new Date(disabled.at).toISOString(), reason: disabled.reason },
      breaker: this.openBreaker(number),
      backlog: {
        open: this.backlog.open(number),
        in_flight: this.dispatcher.inFlight(number),
        oldest_at: oldestAt === null ? null : new Date(oldestAt).toISOString(),
      },
      warnings: warnOfSettings(record),
      created_at: new Date(record.createdAt).toISOString(),
      updated_at: new Date(record.updatedAt).toISOString(),
    };
  }

  private openBreaker(number: number): Target['breaker'] {
    const { open } = this.breakers.of(number);
    if (open === null) return null;
    const { openedAt, reason, probes, probeAt } = open;
    return {
      opened_at: new Date(openedAt).toISOString(),
      reason,
      probes,
      probe_at: new Date(this.bounds.shown(probeAt)).toISOString(),
    };
  }

  private overlapEnd({ signingKeyBefore }: TargetRecord): string | null {
    if (signingKeyBefore === null || signingKeyBefore.until <= this.clock.now()) return null;
    return new Date(signingKeyBefore.until).toISOString();
  }
}
