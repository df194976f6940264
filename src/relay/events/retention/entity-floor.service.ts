import { Injectable } from '@nestjs/common';
import { Journal } from '../../database/journal/journal';
import { olderThan } from '../../database/journal/older-than';
import { repairIn } from '../../database/journal/repair-of';
import type { Statement } from '../../database/journal/statements';
import { AdaptiveStep } from '../../database/reading/adaptive-step';
import { greater, inJsonList, lesser, REMOVED_EVENTS, versionOf } from '../../database/reading/dialect';
import { Reader } from '../../database/reading/reader';
import type { AgeLimit } from '../../ground/clock-corrections';
import { EntityStatesQuery } from '../entities/entity-states.query';
import { FORGET_DEALS } from '../entities/known-deals';
import { pauseAfter } from './removal-steps';

/** Entities whose states are derived by one read, and that are removed by one transaction. */
const BLOCK = 250;

/** Rows examined per read. */
const WINDOW = { first: 1_000, least: 100, most: 20_000 };

/** The oldest rows that are known at a time, to remove them. */
const MAX_OLDEST = 10_000;

const ENTITIES_OF = `SELECT DISTINCT entity FROM events
  WHERE seq ${inJsonList()} AND entity IS NOT NULL AND unreadable IS NULL`;

/** Copies these events, unless one was erased in the meantime. */
const COPY = `INSERT INTO entity_floor(entity, seq, received_at, version, type, name, origin, body)
  SELECT e.entity, e.seq, e.received_at,
    CASE WHEN e.seq > (SELECT indexed_through FROM instance) THEN ${versionOf('e')} ELSE x.version END,
    e.type, e.name, coalesce(${repairIn('e')}, 'event'), e.body
  FROM events e LEFT JOIN event_entities x ON x.entity = e.entity AND x.seq = e.seq
  WHERE e.seq ${inJsonList()} AND e.entity IS NOT NULL ORDER BY e.entity
  ON CONFLICT(entity) DO UPDATE SET seq = excluded.seq, received_at = excluded.received_at, version = excluded.version,
    type = excluded.type, name = excluded.name, origin = excluded.origin, body = excluded.body`;

const FIRST_RECEIVED = '(SELECT received_at FROM events ORDER BY seq LIMIT 1)';
const RAISE = `UPDATE instance SET floor_through = ${greater('floor_through', '?')},
  floor_since = coalesce(floor_since, ${FIRST_RECEIVED})`;

const LAST_REMOVED = `(SELECT max(seq) FROM ${REMOVED_EVENTS})`;

/**
 * To run before a removal whose states are not kept (`PruneStep.beforeRemoval`): what was kept of its entities is outdated,
 * and only of what changes later all states are known.
 */
export const LOSE_STATES: Statement[] = [
  [
    `DELETE FROM entity_floor WHERE entity IN (
       SELECT e.entity FROM ${REMOVED_EVENTS} r JOIN events e ON e.seq = r.seq WHERE e.unreadable IS NULL)`,
    [],
  ],
  [
    `UPDATE instance SET floor_through = ${greater('floor_through', LAST_REMOVED)},
       floor_since = coalesce((SELECT received_at FROM events WHERE seq > ${greater('floor_through', LAST_REMOVED)} ORDER BY seq LIMIT 1),
         floor_since)
     WHERE EXISTS (SELECT 1 FROM ${REMOVED_EVENTS})`,
    [],
  ],
  FORGET_DEALS,
];

/** @param before all rows from before this are removed: all states of what has changed since are known */
const removal = (entities: readonly string[], before: number): Statement[] => [
  [`DELETE FROM entity_floor WHERE entity ${inJsonList('?', 'texts')}`, [JSON.stringify(entities)]],
  [
    `UPDATE instance SET floor_since = ${greater(
      'coalesce(floor_since, 0)',
      lesser(
        '?',
        `coalesce((SELECT received_at FROM events WHERE seq > floor_through ORDER BY seq LIMIT 1), 0)`,
      ),
    )}`,
    [before],
  ],
  ...(entities.some((entity) => entity.startsWith('deal:')) ? [FORGET_DEALS] : []),
];

type IsOver = () => boolean | Promise<boolean>;

interface FloorRow {
  entity: string;
  at: number;
  isOld: 0 | 1;
}

const ANY_AGE: AgeLimit = { before: Number.MAX_SAFE_INTEGER, kept: [] };

/** The last states of the entities of which events are removed: the entity floor. Only retention writes to it. */
@Injectable()
export class EntityFloor {
  constructor(
    private readonly reader: Reader,
    private readonly journal: Journal,
    private readonly states: EntityStatesQuery,
  ) {}

  /**
   * To be called before these events are removed: keeps the states of their entities, and raises the horizon. Calling
   * it again changes nothing. @throws RelayError `storage_failed`, 503
   */
  async keep(seqs: readonly number[]): Promise<void> {
    const [instance] = await this.reader.all<{ through: number }>([
      'SELECT floor_through AS through FROM instance',
      [],
    ]);
    const through = Math.max(instance!.through, ...seqs);
    const rows = await this.reader.all<{ entity: string }>([ENTITIES_OF, [JSON.stringify(seqs)]]);
    const chosen: number[] = [];
    for (let i = 0; i < rows.length; i += BLOCK) {
      const entities = rows.slice(i, i + BLOCK).map(({ entity }) => entity);
      for (const { origin, seq } of await this.states.heads(entities, through))
        if (origin === null) chosen.push(seq);
    }
    const startedAt = performance.now();
    await this.journal.change({
      statements: [
        [COPY, [JSON.stringify(chosen)]],
        [RAISE, [through]],
      ],
    });
    await pauseAfter(performance.now() - startedAt);
  }

  /** Removes the rows of entities that have not changed since. @param limit null for all */
  async removeOlder(limit: AgeLimit | null, isOver: IsOver): Promise<void> {
    for await (const rows of this.walk(limit ?? ANY_AGE))
      if (
        await this.remove(
          rows.filter(({ isOld }) => isOld === 1),
          limit?.before,
          isOver,
        )
      )
        return;
  }

  /** Removes rows, those first whose entities changed least recently. */
  async removeOldest(isOver: IsOver): Promise<void> {
    while (!(await isOver())) {
      let oldest: FloorRow[] = [];
      for await (const rows of this.walk(ANY_AGE))
        oldest = [...oldest, ...rows].toSorted((a, b) => a.at - b.at).slice(0, MAX_OLDEST);
      if (oldest.length === 0 || (await this.remove(oldest, undefined, isOver))) return;
    }
  }

  /** @param before defaults to the time of the newest row of each transaction @returns whether it is over */
  private async remove(
    rows: readonly FloorRow[],
    before: number | undefined,
    isOver: IsOver,
  ): Promise<boolean> {
    for (let i = 0; i < rows.length; i += BLOCK) {
      if (await isOver()) return true;
      const startedAt = performance.now();
      const some = rows.slice(i, i + BLOCK);
      const entities = some.map(({ entity }) => entity);
      await this.journal.change({ statements: removal(entities, before ?? some.at(-1)!.at + 1) });
      await pauseAfter(performance.now() - startedAt);
    }
    return isOver();
  }

  private async *walk(limit: AgeLimit): AsyncGenerator<FloorRow[]> {
    const step = new AdaptiveStep(WINDOW.first, WINDOW.least, WINDOW.most);
    const isOld = olderThan('received_at', limit);
    for (let after = ''; ;) {
      const { rows, isLast } = await step.run(async (size) => {
        const found = await this.reader.all<FloorRow>([
          `SELECT entity, received_at AS at, CASE WHEN ${isOld.sql} THEN 1 ELSE 0 END AS "isOld"
           FROM entity_floor WHERE entity > ? ORDER BY entity LIMIT ?`,
          [...isOld.parameters, after, size],
        ]);
        return { rows: found, isLast: found.length < size };
      });
      yield rows;
      if (isLast) return;
      after = rows.at(-1)!.entity;
    }
  }
}
