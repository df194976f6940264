import { Injectable } from '@nestjs/common';
import { inJsonList, JOIN_IN_ORDER, jsonListAs, versionOf } from '../../database/reading/dialect';
import { Reader, type RequestSignal } from '../../database/reading/reader';
import { versionOfBody } from '../../ground/record-version';
import type { EventEntity } from '../event.entity';

/** How far late events may reach: only if so many of an entity arrive in a row, a later one replaces its state. */
const CANDIDATES = 16;

/** The event that tells the state of an entity. Times are ms since 1970. */
interface StateParts {
  entity: string;
  seq: number;
  version: number | null;
  type: string;
  name: string | null;
  receivedAt: number;
  /** Null if the event is stored, otherwise the `origin` in the entity floor. */
  origin: 'event' | 'baseline' | null;
}

/** `size`: of the body, in bytes. */
export type StateHead = StateParts & { size: number };
export type EntityState = StateParts & { body: Uint8Array };

/** What was known before an event. */
export interface Before {
  /** The state of its entity. */
  known: EntityState | null;
  /** Whether that has a newer version than the event. */
  isLate: boolean;
  /** What the event is compared with: if it is late, the state of the highest version that is not above its own. */
  previous: EntityState | null;
}

/** Events with a negative version tell no state. */
const HAS_STATE = 'coalesce(version, 0) >= 0';

/**
 * Of the newest events of each entity and its row in the entity floor, down to the first without a version, the one
 * with the highest version, or the newest of those with the same. That row takes the place of all earlier events. Events
 * that are not indexed yet are found in their table. @param body what to read of the body in a column
 */
const readStates = (body: (column: string) => string) => `WITH candidates AS (
    SELECT x.entity, x.seq, x.version, 0 AS removed FROM ${jsonListAs('w', 'texts')} ${JOIN_IN_ORDER} event_entities x
      ON x.entity = w.value AND ${HAS_STATE} AND x.seq <= ? AND x.seq >= coalesce((
        SELECT seq FROM event_entities WHERE entity = w.value AND ${HAS_STATE} AND seq <= ?
        ORDER BY seq DESC LIMIT 1 OFFSET ${CANDIDATES - 1}), 0)
    UNION ALL
    SELECT e.entity, e.seq, ${versionOf('e')}, 0 FROM events e
    WHERE e.seq > (SELECT indexed_through FROM instance) AND e.seq <= ? AND e.unreadable IS NULL
      AND e.entity ${inJsonList('?', 'texts')}
    UNION ALL
    SELECT entity, seq, version, 1 FROM entity_floor WHERE entity ${inJsonList('?', 'texts')} AND seq <= ?),
  ranked AS (
    SELECT entity, seq, version, removed, row_number() OVER newest AS place,
      count(*) OVER newest - count(version) OVER newest AS unversioned,
      max(CASE WHEN removed = 1 THEN seq END) OVER (PARTITION BY entity) AS kept
    FROM candidates WINDOW newest AS (PARTITION BY entity ORDER BY seq DESC, removed)),
  chosen AS (
    SELECT entity, seq, version, removed,
      row_number() OVER (PARTITION BY entity ORDER BY version DESC, seq DESC, removed) AS rank
    FROM ranked WHERE seq >= coalesce(kept, 0) AND place <= ${CANDIDATES} AND (place = 1 OR unversioned = 0) AND coalesce(version, 0) <= ?)
  SELECT c.entity, c.seq, c.version, e.type, e.name, e.received_at AS "receivedAt", NULL AS origin, ${body('e.body')}
  FROM chosen c JOIN events e ON e.seq = c.seq WHERE c.rank = 1 AND c.removed = 0
  UNION ALL
  SELECT c.entity, c.seq, c.version, f.type, f.name, f.received_at, f.origin, ${body('f.body')}
  FROM chosen c JOIN entity_floor f ON f.entity = c.entity WHERE c.rank = 1 AND c.removed = 1`;

const STATES = readStates((body) => body);
const HEADS = readStates((body) => `length(${body}) AS size`);

/** Derives the states of entities at a `seq` from what is stored. Those without a state are missing. */
@Injectable()
export class EntityStatesQuery {
  constructor(private readonly reader: Reader) {}

  /** With their bodies, which may be large. */
  states(entities: readonly string[], seq: number, signal?: RequestSignal): Promise<EntityState[]> {
    return this.read<EntityState>(STATES, entities, { seq }, signal);
  }

  heads(entities: readonly string[], seq: number, signal?: RequestSignal): Promise<StateHead[]> {
    return this.read<StateHead>(HEADS, entities, { seq }, signal);
  }

  async state(entity: string, seq: number, signal?: RequestSignal): Promise<EntityState | null> {
    return (await this.states([entity], seq, signal))[0] ?? null;
  }

  async before(
    { seq, entity, unreadable, body }: Pick<EventEntity, 'seq' | 'entity' | 'unreadable' | 'body'>,
    signal?: RequestSignal,
  ): Promise<Before> {
    if (entity === null || unreadable !== null) return { known: null, isLate: false, previous: null };
    const version = versionOfBody(body);
    const known = await this.state(entity, seq - 1, signal);
    if (version === null || known === null || (known.version ?? 0) <= version)
      return { known, isLate: false, previous: known };
    const atMost = { seq: seq - 1, atMost: version };
    const [previous] = await this.read<EntityState>(STATES, [entity], atMost, signal);
    return { known, isLate: true, previous: previous ?? null };
  }

  private read<Row>(
    sql: string,
    entities: readonly string[],
    { seq, atMost = Number.MAX_SAFE_INTEGER }: { seq: number; atMost?: number },
    signal: RequestSignal | undefined,
  ): Promise<Row[]> {
    const list = JSON.stringify(entities);
    return this.reader.all<Row>([sql, [list, seq, seq, seq, list, list, seq, atMost]], signal);
  }
}
