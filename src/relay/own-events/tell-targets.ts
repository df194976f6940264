import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { OWN_TYPES } from '../../contract/event';
import { Journal } from '../database/journal';
import { Breakers } from '../deliveries/breakers';
import { TargetStates, type TargetState } from '../deliveries/target-states';
import { OwnEvents, type OwnEvent } from '../events/own-events';
import { deliveryId } from '../ids';
import { LOG, type Log } from '../log';
import { OneAtATime } from '../one-at-a-time';
import type { TargetRecord } from '../targets/target-record';
import { TargetsService } from '../targets/targets.service';

const TICK_MS = 1_000;

/** Deliveries of one target that died within a tick are told of together, so many of them by their ids. */
const NAMED_DEAD = 20;

type Dead = Extract<TargetState, { kind: 'dead' }>;

/**
 * Makes events of our own out of what befalls targets. An opened breaker is told of again after a restart, under the same
 * occurrence, so that it is stored once. A delivery of an event of our own that dies is not told of: that could go on for ever.
 */
@Injectable()
export class TellTargets implements OnModuleDestroy {
  private untold: OwnEvent[] = [];
  private dead: Dead[] = [];
  private begun = false;
  private readonly telling = new OneAtATime(
    () => this.tell(),
    (error) => this.log.error({ err: error }, 'own events of targets'),
  );

  constructor(
    targetStates: TargetStates,
    private readonly targets: TargetsService,
    private readonly breakers: Breakers,
    private readonly own: OwnEvents,
    private readonly journal: Journal,
    @Inject(LOG) private readonly log: Log,
  ) {
    targetStates.onTargetState((state) => {
      if (state.kind === 'dead') this.dead.push(state);
      else this.untold.push(eventOf(state));
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
    await this.gatherDead();
    while (this.untold.length > 0 && (await this.own.record(this.untold[0]!))) this.untold.shift();
  }

  private tellOfOpenAgain(): void {
    for (const target of this.targets.all()) {
      const { open } = this.breakers.of(target.number);
      if (open === null) continue;
      this.untold.push(eventOf({ kind: 'opened', target, at: open.openedAt, reason: open.reason }));
    }
  }

  private async gatherDead(): Promise<void> {
    const dead: Dead[] = [];
    for (const one of this.dead.splice(0)) {
      const event = await this.journal.readEvent(one.key.seq);
      if (event !== null && !event.type.startsWith(OWN_TYPES)) dead.push(one);
    }
    for (const number of new Set(dead.map(({ target }) => target.number))) {
      const ofTarget = dead.filter(({ target }) => target.number === number);
      this.untold.push(this.deadEvent(ofTarget));
    }
  }

  private deadEvent(dead: Dead[]): OwnEvent {
    const { target, at, reason } = dead[0]!;
    const ids = dead.slice(0, NAMED_DEAD).map(({ key }) => deliveryId(key, this.journal.hub));
    const sentence =
      dead.length === 1
        ? `A delivery to ${target.name} died: ${reason}`
        : `${dead.length} deliveries to ${target.name} died, the first because: ${reason}`;
    return {
      type: 'relay.delivery.dead',
      at,
      data: { ...shown(target), sentence, reason, deliveries: ids, count: dead.length },
      occurrence: `dead ${ids[0]!}`,
    };
  }
}

function eventOf(state: Exclude<TargetState, Dead>): OwnEvent {
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
