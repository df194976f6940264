import { Injectable } from '@nestjs/common';
import type { Knowledge } from '../../../contract/entity';
import {
  CANDIDATES,
  COMPARED,
  hasState,
  JOIN_PREVIOUS,
  PREVIOUS_BODY,
} from '../../database/reading/compared-events';
import { inJsonList, JOIN_IN_ORDER, jsonListAs, versionOf } from '../../database/reading/dialect';
import { repairIn } from '../../database/journal/repair-of';
import { Reader, type RequestSignal } from '../../database/reading/reader';

/** The event that tells the state of an entity. Times are ms since 1970. */
interface StateParts {
  entity: string;
  seq: number;
  version: number | null;
  type: string;
  name: string | null;
  receivedAt: number;
  /** Null if the event is stored, otherwise the `origin` in the entity floor: `event`, `baseline`, or a repair. */
  origin: string | null;
  /** The repair that made the event, also if that is not stored any more; null for any other. */
  repairId: string | null;
}

/** `size`: of the body, in bytes. */
export type StateHead = StateParts & { size: number };
export type EntityState = StateParts & { body: Uint8Array };

/** What an event is compared with. */
export interface Before {
  knowledge: Knowledge;
  /** What told the state of its entity before. */
  known: Pick<EntityState, 'seq' | 'receivedAt' | 'origin'> | null;
  /** The state that it is compared with: if it is late, that of the highest version not above its own. */
  previous: Pick<EntityState, 'seq' | 'receivedAt' | 'origin' | 'type' | 'name' | 'body'> | null;
}

/** A late event has an older version than the state before it. */
export const isLate = ({ known, previous }: Before): boolean => known !== null && known.seq !== previous?.seq;

const BEFORE = `${COMPARED} SELECT c.seq AS event, c.knowledge, c.known AS "knownSeq", k.received_at AS "knownAt",
    c.known_origin AS "knownOrigin", c.previous AS seq, coalesce(p.received_at, f.received_at) AS "receivedAt",
    f.origin, coalesce(p.type, f.type) AS type, coalesce(p.name, f.name) AS name, ${PREVIOUS_BODY} AS body
  FROM compared c LEFT JOIN events k ON k.seq = c.known ${JOIN_PREVIOUS}`;

interface BeforeRow extends NonNullable<Before['previous']> {
  event: number;
  knowledge: Knowledge;
  knownSeq: number | null;
  knownAt: number | null;
  knownOrigin: EntityState['origin'];
}

/**
 * Of the newest events of each entity and its row in the entity floor, down to the first without a version, the one
 * with the highest version, or the newest of those with the same. That row takes the place of all earlier events. Events
 * that are not indexed yet are found in their table. @param body what to read of the body in a column
 */
const readStates = (body: (column: string) => string) => `WITH candidates AS (
    SELECT x.entity, x.seq, x.version, 0 AS removed FROM ${jsonListAs('w', 'texts')} ${JOIN_IN_ORDER} event_entities x
      ON x.entity = w.value AND ${hasState('x')} AND x.seq <= ? AND x.seq >= coalesce((
        SELECT o.seq FROM event_entities o WHERE o.entity = w.value AND ${hasState('o')} AND o.seq <= ?
        ORDER BY o.seq DESC LIMIT 1 OFFSET ${CANDIDATES - 1}), 0)
    UNION ALL
    SELECT e.entity, e.seq, ${versionOf('e')}, 0 FROM events e
    WHERE e.seq > (SELECT indexed_through FROM instance) AND e.seq <= ? AND e.unreadable IS NULL
      AND e.entity ${inJsonList('?', 'texts')}
    UNION ALL
    SELECT entity, seq, version, 1 FROM entity_floor WHERE entity ${inJsonList('?', 'texts')} AND seq <= ?),
  ranked AS (
    SELECT entity, seq, version, removed, row_number() OVER newest AS place, count(version) OVER newest AS versioned,
      sum(removed) OVER newest - removed AS newer_removed
    FROM candidates WINDOW newest AS (PARTITION BY entity ORDER BY seq DESC, removed ROWS UNBOUNDED PRECEDING)),
  chosen AS (
    SELECT entity, seq, version, removed,
      row_number() OVER (PARTITION BY entity ORDER BY version DESC, seq DESC, removed) AS rank
    FROM ranked WHERE newer_removed = 0 AND place <= ${CANDIDATES} AND (place = 1 OR versioned = place))
  SELECT c.entity, c.seq, c.version, e.type, e.name, e.received_at AS "receivedAt", NULL AS origin,
    ${repairIn('e')} AS "repairId", ${body('e.body')}
  FROM chosen c JOIN events e ON e.seq = c.seq WHERE c.rank = 1 AND c.removed = 0
  UNION ALL
  SELECT c.entity, c.seq, c.version, f.type, f.name, f.received_at, f.origin,
    nullif(nullif(f.origin, 'event'), 'baseline'), ${body('f.body')}
  FROM chosen c JOIN entity_floor f ON f.entity = c.entity WHERE c.rank = 1 AND c.removed = 1`;

const STATES = readStates((body) => body);
const HEADS = readStates((body) => `length(${body}) AS size`);

/** Derives the states of entities at a `seq` from what is stored. Those without a state are missing. */
@Injectable()
export class EntityStatesQuery {
  constructor(private readonly reader: Reader) {}

  /** With their bodies, which may be large. */
  states(entities: readonly string[], seq: number, signal?: RequestSignal): Promise<EntityState[]> {
    return this.read<EntityState>(STATES, entities, seq, signal);
  }

  heads(entities: readonly string[], seq: number, signal?: RequestSignal): Promise<StateHead[]> {
    return this.read<StateHead>(HEADS, entities, seq, signal);
  }

  async state(entity: string, seq: number, signal?: RequestSignal): Promise<EntityState | null> {
    return (await this.states([entity], seq, signal))[0] ?? null;
  }

  /** What stored events are compared with, by their `seq`. With bodies, which may be large. */
  async before(seqs: readonly number[], signal?: RequestSignal): Promise<Map<number, Before>> {
    const rows = await this.reader.all<BeforeRow>([BEFORE, [JSON.stringify(seqs)]], signal);
    return new Map(
      rows.map(({ event, knowledge, knownSeq, knownAt, knownOrigin, ...previous }) => [
        event,
        {
          knowledge,
          known: knownSeq === null ? null : { seq: knownSeq, receivedAt: knownAt ?? 0, origin: knownOrigin },
          previous: knowledge === 'known' ? previous : null,
        },
      ]),
    );
  }

  private read<Row>(
    sql: string,
    entities: readonly string[],
    seq: number,
    signal: RequestSignal | undefined,
  ): Promise<Row[]> {
    const list = JSON.stringify(entities);
    return this.reader.all<Row>([sql, [list, seq, seq, seq, list, list, seq]], signal);
  }
}
