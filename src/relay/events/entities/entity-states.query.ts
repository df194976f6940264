import { Injectable } from '@nestjs/common';
import { inJsonList, JOIN_IN_ORDER, jsonListAs, versionOf } from '../../database/reading/dialect';
import { Reader, type RequestSignal } from '../../database/reading/reader';
import { versionOfBody } from '../../ground/record-version';
import type { EventEntity } from '../event.entity';

/** How far late events may reach: only if so many of an entity arrive in a row, a later one replaces its state. */
const CANDIDATES = 16;

/** The event that tells the state of an entity. Times are ms since 1970. */
export interface EntityState {
  entity: string;
  seq: number;
  version: number | null;
  type: string;
  name: string | null;
  receivedAt: number;
  body: Uint8Array;
}

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
 * Of the newest events of each entity, down to the first without a version, the one with the highest version, or the
 * newest of those with the same. Events that are not indexed yet are found in their table.
 */
const STATES = `WITH candidates AS (
    SELECT x.entity, x.seq, x.version FROM ${jsonListAs('w', 'texts')} ${JOIN_IN_ORDER} event_entities x
      ON x.entity = w.value AND ${HAS_STATE} AND x.seq <= ? AND x.seq >= coalesce((
        SELECT seq FROM event_entities WHERE entity = w.value AND ${HAS_STATE} AND seq <= ?
        ORDER BY seq DESC LIMIT 1 OFFSET ${CANDIDATES - 1}), 0)
    UNION ALL
    SELECT e.entity, e.seq, ${versionOf('e')} FROM events e
    WHERE e.seq > (SELECT indexed_through FROM instance) AND e.seq <= ? AND e.unreadable IS NULL
      AND e.entity ${inJsonList('?', 'texts')}),
  ranked AS (
    SELECT entity, seq, version, row_number() OVER newest AS place,
      count(*) OVER newest - count(version) OVER newest AS unversioned
    FROM candidates WINDOW newest AS (PARTITION BY entity ORDER BY seq DESC)),
  chosen AS (
    SELECT entity, seq, version, row_number() OVER (PARTITION BY entity ORDER BY version DESC, seq DESC) AS rank
    FROM ranked WHERE place <= ${CANDIDATES} AND (place = 1 OR unversioned = 0) AND coalesce(version, 0) <= ?)
  SELECT c.entity, c.seq, c.version, e.type, e.name, e.received_at AS "receivedAt", e.body
  FROM chosen c JOIN events e ON e.seq = c.seq WHERE c.rank = 1`;

/** Derives the states of entities at a `seq` from the stored events. Those without a state are missing. */
@Injectable()
export class EntityStatesQuery {
  constructor(private readonly reader: Reader) {}

  /** With their bodies, which may be large. */
  states(entities: readonly string[], seq: number, signal?: RequestSignal): Promise<EntityState[]> {
    return this.read(entities, { seq }, signal);
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
    const [previous] = await this.read([entity], { seq: seq - 1, atMost: version }, signal);
    return { known, isLate: true, previous: previous ?? null };
  }

  private read(
    entities: readonly string[],
    { seq, atMost = Number.MAX_SAFE_INTEGER }: { seq: number; atMost?: number },
    signal: RequestSignal | undefined,
  ): Promise<EntityState[]> {
    const list = JSON.stringify(entities);
    return this.reader.all<EntityState>([STATES, [list, seq, seq, seq, list, atMost]], signal);
  }
}
