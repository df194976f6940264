import { Injectable } from '@nestjs/common';
import type { Target } from '../../contract/target';
import type { TransformSettings } from '../../contract/transform';
import type { Operator } from '../access/operator';
import { allows } from '../access/scopes';
import { Clock } from '../ground/clock';
import { Backlog } from '../deliveries/queue/backlog';
import { RecentAttemptsStore } from '../deliveries/recent-attempts.store';
import { BreakerStore } from '../deliveries/sending/breaker.store';
import { ListenerStatesStore } from '../deliveries/listeners/listener-states.store';
import { QueueDelaysQuery } from '../deliveries/queue/queue-delays.query';
import { DispatchWorker } from '../deliveries/queue/dispatch.worker';
import { maskFilter } from '../filters/masked-filter';
import type { PayloadMask } from '../filters/payload-mask';
import { maskAddress } from '../targets/address-credentials';
import { publicKeyText } from '../targets/ed25519';
import type { TargetRecord } from '../targets/target-record';
import { TargetsService } from '../targets/targets.service';
import { TargetHealthQuery, UNPREDICTABLE } from '../stats/target-health.query';
import { TimeBounds } from '../ground/time-bounds';
import { isoOrNull, toIso } from '../ground/iso-time';
import { settingsWarnings } from '../targets/settings-warnings';

/** Presents a target as the API shows it: with its backlog, without its secrets. */
@Injectable()
export class TargetPresenter {
  constructor(
    private readonly targets: TargetsService,
    private readonly backlog: Backlog,
    private readonly recent: RecentAttemptsStore,
    private readonly breakers: BreakerStore,
    private readonly dispatcher: DispatchWorker,
    private readonly listeners: ListenerStatesStore,
    private readonly health: TargetHealthQuery,
    private readonly delays: QueueDelaysQuery,
    private readonly clock: Clock,
    private readonly bounds: TimeBounds,
  ) {}

  /** Without the scope `operate`, the parts of the URL that may contain a key are masked. */
  async present(record: TargetRecord, { scopes, mask }: Operator): Promise<Target> {
    const { number, id, name, url, format, events, filter, enabled, policy, headers, tls, paused, disabled } =
      record;
    const { signature, ed25519, transform, transformVersion } = record;
    const [oldestAt, delay] = await Promise.all([this.backlog.oldestAt([number]), this.delays.of(number)]);
    const health = this.health.of(record, delay);
    const isUnpredictable = UNPREDICTABLE.some((state) => health.states.includes(state));
    return {
      id,
      name,
      kind: record.listener === null ? 'http' : 'listener',
      url: allows(scopes, ['operate']) ? url : maskAddress(url, format),
      format,
      events,
      filter: filter === null || mask === null ? filter : maskFilter(filter, mask),
      enabled,
      policy,
      signature,
      ed25519,
      public_key: ed25519 ? publicKeyText(record.signingKey) : null,
      transform: transform && presentTransform(transform, transformVersion, mask),
      headers: headers.map((header) => ({ ...header, value: header.secret ? null : header.value })),
      listener: this.listeners.present(record),
      tls: tls && { ca: tls.ca, cert: tls.cert, has_key: tls.key !== null, verify: tls.verify },
      previous_secret_until: this.overlapEnd(record),
      paused: paused && {
        at: toIso(paused.at),
        reason: paused.reason,
        until: isoOrNull(paused.until === null ? null : this.bounds.toWallClock(paused.until)),
      },
      disabled: disabled && { at: toIso(disabled.at), reason: disabled.reason },
      breaker: this.openBreaker(number),
      backlog: {
        open: this.backlog.queued(number),
        in_flight: this.dispatcher.inFlight(number),
        oldest_at: isoOrNull(oldestAt),
        per_minute: isUnpredictable ? null : this.recent.perMinute(number),
        growing: this.backlog.isGrowing(number),
        dead: this.backlog.dead(number),
      },
      health,
      routing: record.routing,
      managed_by: record.managedBy,
      warnings: settingsWarnings(record, this.targets.all()),
      created_at: toIso(record.createdAt),
      updated_at: toIso(record.updatedAt),
    };
  }

  private openBreaker(number: number): Target['breaker'] {
    const { open } = this.breakers.of(number);
    if (open === null) return null;
    const { openedAt, reason, probes, probeAt } = open;
    return { opened_at: toIso(openedAt), reason, probes, probe_at: toIso(this.bounds.toWallClock(probeAt)) };
  }

  private overlapEnd({ previousSigningKey }: TargetRecord): string | null {
    if (previousSigningKey === null || previousSigningKey.until <= this.clock.now()) return null;
    return toIso(previousSigningKey.until);
  }
}

/** Tests have payloads. */
function presentTransform(
  { tests, ...transform }: TransformSettings,
  version: number,
  mask: PayloadMask | null,
): NonNullable<Target['transform']> {
  return { ...transform, version, ...(mask === null && { tests }) };
}
