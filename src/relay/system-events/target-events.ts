import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Breakers } from '../deliveries/sending/breakers';
import { TargetStates, type TargetState } from '../deliveries/queue/target-states';
import { SystemEvents, type SystemEvent } from '../events/system-events';
import { Log } from '../ground/log';
import { NonOverlapping } from '../ground/non-overlapping';
import type { TargetRecord } from '../targets/target-record';
import { TargetsService } from '../targets/targets.service';

const TICK_MS = 1_000;

/**
 * Makes events of our own out of what befalls targets. An opened breaker is told of again after a restart, under the same
 * occurrence, so that it is stored once.
 */
@Injectable()
export class TellTargets implements OnModuleDestroy {
  private untold: SystemEvent[] = [];
  private begun = false;
  private readonly telling = new NonOverlapping(
    () => this.tell(),
    (error) => this.log.error({ err: error }, 'own events of targets'),
  );

  constructor(
    targetStates: TargetStates,
    private readonly targets: TargetsService,
    private readonly breakers: Breakers,
    private readonly own: SystemEvents,
    private readonly log: Log,
  ) {
    targetStates.onTargetState((state) => {
      if (state.kind !== 'dead') this.untold.push(eventOf(state));
    });
  }

  @Interval(TICK_MS)
  tick(): Promise<void> {
    return this.telling.run();
  }

  onModuleDestroy(): Promise<void> {
    return this.telling.stop();
  }

  private async tell(): Promise<void> {
    if (!this.begun) this.tellOfOpenAgain();
    this.begun = true;
    while (this.untold.length > 0 && (await this.own.record(this.untold[0]!))) this.untold.shift();
  }

  private tellOfOpenAgain(): void {
    for (const target of this.targets.all()) {
      const { open } = this.breakers.of(target.number);
      if (open === null) continue;
      this.untold.push(eventOf({ kind: 'opened', target, at: open.openedAt, reason: open.reason }));
    }
  }
}

function eventOf(state: Exclude<TargetState, { kind: 'dead' }>): SystemEvent {
  const { kind, target, at } = state;
  const told = { ...shown(target), state: kind };
  const occurrence = `${kind} ${target.id} ${kind === 'recovered' ? state.openedAt : at}`;
  const type = `relay.target.${kind}` as const;
  if (state.kind === 'recovered') {
    const sentence = `${target.name} answers again.`;
    return {
      type,
      at,
      data: { ...told, sentence, opened_at: new Date(state.openedAt).toISOString() },
      occurrence,
    };
  }
  const sentence =
    kind === 'opened'
      ? `${target.name} is not sent to until it answers a probe: ${state.reason}`
      : `${target.name} is paused: ${state.reason}`;
  return { type, at, data: { ...told, sentence, reason: state.reason }, occurrence };
}

const shown = ({ id, name }: TargetRecord) => ({ target_id: id, target_name: name });
