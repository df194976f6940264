import { Injectable } from '@nestjs/common';
import type { EntityContext, EntityFilters, EntityListQuery } from '../../../contract/entity';
import type { EventCount } from '../../../contract/event';
import type { Page } from '../../../contract/page';
import { Journal } from '../../database/journal/journal';
import type { RequestSignal } from '../../database/reading/reader';
import type { SeqIndex } from '../../database/reading/walk-seqs';
import { valuesAt } from '../../filters/filter-paths';
import type { PayloadMask } from '../../filters/payload-mask';
import { parseBody } from '../../ground/parse-body';
import { takeBytes } from '../search/match-bodies';
import { FindEventsQuery } from '../search/find-events.query';
import { sample } from '../search/survey-events.query';
import { AsOfQuery } from './as-of.query';
import { readCursor, takePage, writeCursor } from './entity-pages';
import { EntityStatesQuery } from './entity-states.query';
import { MatchEntitiesQuery, type MatchingStates } from './match-entities.query';
import { maskState, presentState, type WrittenState } from './present-state';
import { WalkEntitiesQuery } from './walk-entities.query';

/** Entities are counted one by one for this long, then estimated. */
const MAX_COUNT_MS = 1_000;
/** A page ends when the bodies that tell its states exceed this. */
const PAGE_BYTES = 4 * 1024 * 1024;

type ListedEntity = WrittenState & { fields?: Record<string, unknown> };

/** The list of entities in their state at a point in time, and their count. */
@Injectable()
export class FindEntitiesQuery {
  constructor(
    private readonly points: AsOfQuery,
    private readonly entities: WalkEntitiesQuery,
    private readonly matching: MatchEntitiesQuery,
    private readonly states: EntityStatesQuery,
    private readonly events: FindEventsQuery,
    private readonly journal: Journal,
  ) {}

  /**
   * A page may have fewer entities than `limit` and still a next one. Values are for `writeJson`.
   * @throws RelayError `filter_invalid` and `as_of_before_horizon`, 422; `cursor_unknown`, 400
   */
  async find(
    query: EntityListQuery,
    mask: PayloadMask | null,
    signal: RequestSignal,
  ): Promise<Page<ListedEntity> & EntityContext> {
    const { sort, limit, cursor, field = [], as_of: at, as_of_seq: seq, ...filters } = query;
    const from = cursor === undefined ? null : readCursor(cursor, 1);
    const point = await this.points.resolve(from === null ? { at, seq } : { seq: from.points[0] }, signal);
    const walked = { asOf: point.seq, kind: filters.kind, signal };
    const blocks =
      sort === 'changed'
        ? this.entities.byChange(walked, from?.place ?? null)
        : this.entities.byName(walked, String(from?.place ?? ''));
    const page = await takePage(this.matching.matching(blocks, point.seq, filters, signal), limit);
    const found = takeBytes(
      PAGE_BYTES,
      page.found.map(({ item, place }) => ({ ...item, place })),
    );
    const next = found.length < page.found.length ? found.at(-1)!.place : page.next;
    const entities = found.map(({ entity }) => entity);
    const states = await this.states.states(entities, point.seq, signal);
    const byEntity = new Map(states.map((state) => [state.entity, state]));
    const data = entities.flatMap((entity): ListedEntity[] => {
      const state = byEntity.get(entity);
      if (state === undefined) return [];
      const shown = maskState(state, mask);
      const fields = field.length === 0 ? {} : { fields: valuesAt(field, parseBody(shown.body)) };
      return [{ ...presentState(shown, this.journal.instanceId), ...fields }];
    });
    const next_cursor = next === null ? null : writeCursor({ points: [point.seq], place: next });
    return { data, next_cursor, ...(await this.points.present(point, filters.kind, signal)) };
  }

  /** @throws RelayError `filter_invalid` and `as_of_before_horizon`, 422 */
  async count(
    { as_of: at, as_of_seq: seq, kind, ...filters }: EntityFilters,
    signal: RequestSignal,
  ): Promise<EventCount> {
    const { seq: asOf } = await this.points.resolve({ at, seq }, signal);
    const deadline = performance.now() + MAX_COUNT_MS;
    const walked = { asOf, kind, signal };
    const range = await this.events.storedRange({ after: 0, before: asOf + 1 }, signal);
    let count = 0;
    for await (const { found } of this.matching.matching(
      this.entities.removed(walked, ''),
      asOf,
      filters,
      signal,
    )) {
      count += found.length;
      if (performance.now() > deadline) return { count, estimated: true };
    }
    const changed = (rest: typeof range, index: SeqIndex | null) =>
      this.matching.matching(this.entities.changed(walked, rest, index), asOf, filters, signal);
    for await (const { found, end } of changed(range, null)) {
      count += found.length;
      if (performance.now() <= deadline) continue;
      const rest = { ...range, before: end as number };
      const read = async function* (index: SeqIndex) {
        for await (const part of changed(rest, index))
          yield { rows: part.found, lastSeq: part.end as number };
      };
      await sample(rest, read, (_: MatchingStates['found'][number], weight) => (count += weight));
      return { count: Math.round(count), estimated: rest.before - rest.after > 1 };
    }
    return { count, estimated: false };
  }
}
