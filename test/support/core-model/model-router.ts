import type { Model } from './model';
import type { ModelDelivery } from './model-deliveries';
import type { ModelTarget } from './model-target';

/** The deliveries that follow an event: those to targets whose filters look at the state before. */
export class ModelRouter {
  /** By event, how many it has created. */
  readonly created = new Map<number, number>();
  private through = 0;

  constructor(private readonly model: Model) {}

  /** It has evaluated the events up to this one. @returns the deliveries that it has created */
  route(through = this.model.lastSeq): ModelDelivery[] {
    const { events, records, queue, existing } = this.model;
    const created: ModelDelivery[] = [];
    for (; this.through < through; this.through += 1) {
      const event = events.get(this.through + 1);
      if (event === undefined) continue;
      const { seq, type, entity, status, receivedAt: createdAt } = event;
      const before = records.before(event);
      const sent = existing.filter(
        (target) =>
          target.isRouted && seq > target.routedFrom && target.accepts(type) && target.sends(status, before),
      );
      if (sent.length > 0) this.created.set(seq, sent.length);
      for (const target of sent)
        created.push(
          queue.add(
            { seq, target: target.number, n: 0 },
            { lane: target.laneOf(entity), class: 0, createdAt },
          ),
        );
    }
    return created;
  }

  /** It has evaluated all events: these targets do without, if they no longer need it. */
  finish(targets: Iterable<ModelTarget> = this.model.targets.values()): void {
    this.route();
    for (const target of targets) target.isRouted = target.filter.isRouted;
  }
}
