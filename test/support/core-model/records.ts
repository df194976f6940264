import { expectedPrevious, expectedState, type ModelEvent as Known } from '../entity-model';
import type { ModelEvent } from './model';

export interface FloorRow {
  entity: string;
  seq: number;
}

/** What an event is compared with: the status before, undefined: there was none, null: it is not known. */
export type StatusBefore = number | null | undefined;

/** How long ago records were changed. Null: they do not say when. */
const AGES_MS = [0, 10_000, 120_000, null];

/** What is chosen of the record in an event, by any natural number. */
export const recordOf = (choice: number, now: number) => {
  const age = AGES_MS[Math.floor(choice / 3) % AGES_MS.length]!;
  return { status: choice % 3, version: age === null ? null : now - age };
};

/** What is known of entities, from the stored events and the entity floor. */
export class ModelRecords {
  private readonly all = new Map<number, Known & { status: number }>();
  private readonly stored = new Set<number>();
  private readonly floor = new Map<string, number>();

  add({ seq, entity, version, status }: ModelEvent): void {
    this.all.set(seq, { seq, entity, version, status, isReadable: true });
    this.stored.add(seq);
  }

  before({ seq, type }: ModelEvent): StatusBefore {
    const { previous } = expectedPrevious(this.known, this.all.get(seq)!);
    if (previous !== null) return this.all.get(previous.seq)!.status;
    return type.endsWith('.created') ? undefined : null;
  }

  /** That of an entity now, as the next event is compared with it. */
  statusOf(entity: string): StatusBefore {
    const state = expectedState(this.known, entity, Infinity);
    return state && this.all.get(state.seq)!.status;
  }

  /** The events that tell the states of the entities. */
  states(): FloorRow[] {
    const { known } = this;
    const entities = [...new Set(known.map(({ entity }) => entity))].toSorted();
    return entities.map((entity) => ({ entity, seq: expectedState(known, entity, Infinity)!.seq }));
  }

  /** An event is removed, and with it what is kept of its entity. */
  lose({ seq, entity }: FloorRow): void {
    this.stored.delete(seq);
    this.floor.delete(entity);
  }

  /** Retention has removed events, and kept states. @returns what is wrong with that */
  keep(floor: readonly FloorRow[], removed: readonly number[]): string[] {
    const before = JSON.stringify(this.states());
    for (const seq of removed) this.stored.delete(seq);
    this.floor.clear();
    for (const { entity, seq } of floor) this.floor.set(entity, seq);
    const after = JSON.stringify(this.states());
    return after === before ? [] : [`by retention, the states ${before} have become ${after}`];
  }

  private get known() {
    return [...this.all.values()]
      .filter(({ seq, entity }) => {
        const kept = this.floor.get(entity) ?? 0;
        return seq === kept || (seq > kept && this.stored.has(seq));
      })
      .toSorted((a, b) => a.seq - b.seq);
  }
}
