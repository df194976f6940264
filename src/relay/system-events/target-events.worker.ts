import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { BreakerStore } from '../deliveries/sending/breaker.store';
import { TargetStates, type TargetState } from '../deliveries/target-states';
import { SystemEventsService, type SystemEvent } from '../events/system-events.service';
import { toIso } from '../ground/iso-time';
import { Log } from '../ground/log';
import { NonOverlapping } from '../ground/non-overlapping';
import { TargetsService } from '../targets/targets.service';

const TICK_MS = 1_000;

/**
 * Publishes state changes of targets as system events. Open circuit breakers are published again after a restart, in
 * case they were not before; the same occurrence is stored only once.
 */
@Injectable()
export class TargetEventsWorker implements OnModuleDestroy {
  private pending: SystemEvent[] = [];
  private started = false;
  private readonly publishing = new NonOverlapping(
    () => this.publish(),
    (error) => this.log.error({ err: error }, 'target events not published'),
  );

  constructor(
    targetStates: TargetStates,
    private readonly targets: TargetsService,
    private readonly breakers: BreakerStore,
    private readonly systemEvents: SystemEventsService,
    private readonly log: Log,
  ) {
    targetStates.onTargetState((state) => {
      if (state.kind !== 'dead') this.pending.push(toSystemEvent(state));
    });
  }

  @Interval(TICK_MS)
  tick(): Promise<void> {
    return this.publishing.run();
  }

  onModuleDestroy(): Promise<void> {
    return this.publishing.stop();
  }

  private async publish(): Promise<void> {
    if (!this.started) this.addOpenBreakers();
    this.started = true;
    while (this.pending.length > 0 && (await this.systemEvents.record(this.pending[0]!)))
      this.pending.shift();
  }

  private addOpenBreakers(): void {
    for (const target of this.targets.all()) {
      const { open } = this.breakers.of(target.number);
      if (open === null) continue;
      this.pending.push(toSystemEvent({ kind: 'opened', target, at: open.openedAt, reason: open.reason }));
    }
  }
}

function toSystemEvent(state: Exclude<TargetState, { kind: 'dead' }>): SystemEvent {
  const { kind, target, at } = state;
  const data = { target_id: target.id, target_name: target.name, state: kind };
  const occurrence = `${kind} ${target.id} ${kind === 'recovered' ? state.openedAt : at}`;
  const type = `relay.target.${kind}` as const;
  if (state.kind === 'recovered') {
    const sentence = `${target.name} responds again.`;
    return { type, at, data: { ...data, sentence, opened_at: toIso(state.openedAt) }, occurrence };
  }
  const sentence =
    kind === 'opened'
      ? `Deliveries to ${target.name} are queued until it responds to a probe: ${state.reason}`
      : `${target.name} is paused: ${state.reason}`;
  return { type, at, data: { ...data, sentence, reason: state.reason }, occurrence };
}
