/** An event as the model of states sees it. */
export interface ModelEvent {
  seq: number;
  entity: string;
  version: number | null;
  isReadable: boolean;
}

const NEWEST = 16;

/**
 * The event that tells the state of an entity after an event, by the rule as the documentation has it: of the newest,
 * down to the first without a version, the one with the highest version; of those with the same, the newest.
 */
export const expectedState = (
  events: readonly ModelEvent[],
  entity: string,
  seq: number,
): ModelEvent | null => highest(candidates(events, entity, seq));

/** What an event is compared with: if it is late, only with what was not newer than itself. */
export function expectedPrevious(events: readonly ModelEvent[], { entity, seq, version }: ModelEvent) {
  const earlier = candidates(events, entity, seq - 1);
  const fits = (event: ModelEvent) => version === null || (event.version ?? 0) <= version;
  return { known: highest(earlier), previous: highest(earlier.filter(fits)) };
}

function candidates(events: readonly ModelEvent[], entity: string, seq: number): ModelEvent[] {
  const ofEntity = events.filter((event) => event.entity === entity && event.isReadable && event.seq <= seq);
  const newest = ofEntity.toReversed().slice(0, NEWEST);
  const unversioned = newest.findIndex(({ version }) => version === null);
  return unversioned === -1 ? newest : newest.slice(0, Math.max(1, unversioned));
}

const highest = (events: readonly ModelEvent[]) =>
  events.reduce<ModelEvent | null>(
    (best, event) => (best === null || (event.version ?? 0) > (best.version ?? 0) ? event : best),
    null,
  );
