import { Injectable } from '@nestjs/common';
import type { ChangedEntitiesQuery as Asked, ChangedEntity } from '../../../contract/entity';
import { Journal } from '../../database/journal/journal';
import { inJsonList, JOIN_IN_ORDER, jsonListAs } from '../../database/reading/dialect';
import { Reader, type RequestSignal } from '../../database/reading/reader';
import type { PayloadMask } from '../../filters/payload-mask';
import { eventId } from '../../ground/ids';
import { toBatches } from '../search/match-bodies';
import { AsOfQuery } from './as-of.query';
import { changesBetween } from './changes-between';
import { readCursor, takePage, writeCursor, type Block } from './entity-pages';
import { EntityStatesQuery, type EntityState, type StateHead } from './entity-states.query';
import { MatchEntitiesQuery, type MatchingStates } from './match-entities.query';
import { isCreated, isDeleted, maskState } from './present-state';
import { WalkEntitiesQuery } from './walk-entities.query';

/** Differences and events that are returned of an entity. */
const MAX_SHOWN = 20;

/** The events after a `seq`, up to and including another one. */
interface Between {
  after: number;
  through: number;
}

interface EventBetween {
  entity: string;
  seq: number;
  type: string;
  receivedAt: number;
}

/** The first events of entities between two `seq`s, oldest first. Those that are not indexed are found in their table. */
const EVENTS_BETWEEN = `SELECT b.entity, b.seq, e.type, e.received_at AS "receivedAt" FROM (
    SELECT entity, seq, row_number() OVER (PARTITION BY entity ORDER BY seq) AS place FROM (
      SELECT x.entity, x.seq FROM ${jsonListAs('w', 'texts')} ${JOIN_IN_ORDER} event_entities x
        ON x.entity = w.value AND coalesce(x.version, 0) >= 0 AND x.seq > ? AND x.seq <= ?
      UNION ALL
      SELECT entity, seq FROM events WHERE seq > (SELECT indexed_through FROM instance) AND seq > ? AND seq <= ?
        AND unreadable IS NULL AND entity ${inJsonList('?', 'texts')}) every_event) b
  JOIN events e ON e.seq = b.seq WHERE b.place <= ${MAX_SHOWN} ORDER BY b.seq`;

/** Finds the entities that differ between two points in time: of each, an event was received in between. */
@Injectable()
export class ChangedEntitiesQuery {
  constructor(
    private readonly reader: Reader,
    private readonly points: AsOfQuery,
    private readonly entities: WalkEntitiesQuery,
    private readonly matching: MatchEntitiesQuery,
    private readonly states: EntityStatesQuery,
    private readonly journal: Journal,
  ) {}

  /**
   * Values are for `writeJson`.
   * @throws RelayError `filter_invalid` and `as_of_before_horizon`, 422; `cursor_unknown`, 400
   */
  async find(
    { from, to, kind, payload, limit, cursor }: Asked,
    mask: PayloadMask | null,
    signal: RequestSignal,
  ) {
    const start = cursor === undefined ? null : readCursor(cursor, 2);
    const [fromSeq, toSeq] = start?.points.map((seq) => ({ seq })) ?? [from, to];
    const earlier = await this.points.resolve(fromSeq, signal);
    const later = await this.points.resolve(toSeq, signal);
    const between = { after: earlier.seq, through: later.seq };
    const rest = { after: earlier.seq, before: Number(start?.place ?? later.seq + 1) };
    const walked = this.entities.changed({ asOf: later.seq, kind, signal }, rest);
    const states = this.matching.matching(walked, later.seq, { state: 'all', payload }, signal);
    const { found, next } = await takePage(this.differing(states, between, mask, signal), limit);
    return {
      data: found.map(({ item }) => item),
      next_cursor: next === null ? null : writeCursor({ points: [earlier.seq, later.seq], place: next }),
      from: (await this.points.present(earlier, undefined, signal)).as_of,
      to: (await this.points.present(later, undefined, signal)).as_of,
    };
  }

  /** Those of the entities that differ, in their order. */
  private async *differing(
    blocks: AsyncIterable<MatchingStates>,
    between: Between,
    mask: PayloadMask | null,
    signal: RequestSignal,
  ): AsyncGenerator<Block<ChangedEntity>> {
    for await (const { found, end } of blocks) {
      const batches = toBatches(found.map(({ item, place }) => ({ ...item, place })));
      for (const batch of batches) {
        const compared = await this.compare(batch, between, mask, signal);
        const items = batch.flatMap(({ entity, place }) => {
          const item = compared.get(entity);
          return item === undefined ? [] : [{ item, place }];
        });
        yield { found: items, end: batch === batches.at(-1) ? end : batch.at(-1)!.place };
      }
      if (batches.length === 0) yield { found: [], end };
    }
  }

  private async compare(
    heads: readonly StateHead[],
    { after, through }: Between,
    mask: PayloadMask | null,
    signal: RequestSignal,
  ): Promise<ReadonlyMap<string, ChangedEntity>> {
    const entities = heads.map(({ entity }) => entity);
    const list = JSON.stringify(entities);
    const earlier = byEntity(await this.states.states(entities, after, signal));
    const later = await this.states.states(entities, through, signal);
    const events = await this.reader.all<EventBetween>(
      [EVENTS_BETWEEN, [list, after, through, after, through, list]],
      signal,
    );
    const compared = new Map<string, ChangedEntity>();
    for (const state of later.map((one) => maskState(one, mask))) {
      const { entity, name } = state;
      const before = earlier.get(entity);
      const own = events.filter((event) => event.entity === entity);
      const change = changeOf(before, state, own);
      const changes = changesBetween(before === undefined ? null : maskState(before, mask), state);
      if (change === 'changed' && changes.length === 0) continue;
      const event_ids = own.map(({ seq, receivedAt }) => eventId(receivedAt, seq, this.journal.instanceId));
      compared.set(entity, { entity, name, change, changes: changes.slice(0, MAX_SHOWN), event_ids });
    }
    return compared;
  }
}

const byEntity = (states: readonly EntityState[]): ReadonlyMap<string, EntityState> =>
  new Map(states.map((state) => [state.entity, state]));

function changeOf(
  before: EntityState | undefined,
  after: EntityState,
  events: readonly EventBetween[],
): ChangedEntity['change'] {
  const existed = before !== undefined && !isDeleted(before.type);
  if (isDeleted(after.type)) return existed || before === undefined ? 'deleted' : 'changed';
  if (existed) return 'changed';
  if (events.some(({ type }) => isCreated(type))) return 'created';
  return before === undefined ? 'first_seen' : 'changed';
}
