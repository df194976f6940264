import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AdaptiveStep } from '../../database/reading/adaptive-step';
import { Reader, type RequestSignal } from '../../database/reading/reader';
import { walkSeqs, type SeqIndex, type SeqRange } from '../../database/reading/walk-seqs';
import { EventEntity } from '../event.entity';
import { FindEventsQuery } from '../search/find-events.query';
import type { Block, Place } from './entity-pages';

/** Entities per read, and at most in a block: their states are read at once. */
const BLOCK = { first: 64, least: 16, most: 256 };

type ReadNames = (after: string, before: string, limit: number) => Promise<{ entity: string }[]>;

/** Which entities, as of an event. */
export interface WalkedEntities {
  asOf: number;
  kind?: string | undefined;
  signal?: RequestSignal | undefined;
}

/** Entities of the tail: events that are not indexed yet. */
const TAIL = `seq > (SELECT indexed_through FROM instance) AND seq <= ? AND entity IS NOT NULL AND unreadable IS NULL`;
const TAIL_ENTITIES = `SELECT entity, max(seq) AS seq FROM events WHERE ${TAIL} GROUP BY entity`;

/** SQL: whether an index row of an entity is of an event up to a `seq` that tells a state. */
const tellsState = (seq: string) => `x.seq <= ${seq} AND coalesce(x.version, 0) >= 0`;

const IS_NEWEST = `e.entity IS NOT NULL AND e.unreadable IS NULL AND NOT EXISTS (SELECT 1 FROM event_entities x
  WHERE x.entity = e.entity AND x.seq > e.seq AND ${tellsState(':asOf')})`;

/** The entities between two names, found in the index by jumping from one to the next, in the tail and the entity floor. */
const NAMES = `WITH RECURSIVE names(entity) AS (
    SELECT min(entity) FROM event_entities WHERE entity > ? AND entity < ?
    UNION ALL
    SELECT (SELECT min(x.entity) FROM event_entities x WHERE x.entity > names.entity AND x.entity < ?)
    FROM names WHERE names.entity IS NOT NULL)
  SELECT entity FROM (
    SELECT entity FROM (SELECT entity FROM names WHERE entity IS NOT NULL LIMIT ?) stored
    UNION
    SELECT entity FROM events WHERE ${TAIL} AND entity > ? AND entity < ?
    UNION
    SELECT entity FROM (SELECT entity FROM entity_floor WHERE entity > ? AND entity < ? ORDER BY entity LIMIT ?) removed
  ) every_entity ORDER BY entity LIMIT ?`;

/** The entities between two names that are only in the entity floor, except for those of the tail. */
const REMOVED_NAMES = `SELECT entity FROM entity_floor f WHERE entity > ? AND entity < ? AND NOT EXISTS (
    SELECT 1 FROM event_entities x WHERE x.entity = f.entity AND ${tellsState('?')}) ORDER BY entity LIMIT ?`;

/** Above the name of every entity. */
const LAST_NAME = '\u{10FFFF}';

/** Lists entities in blocks, in short reads. Some of those in a block may have no state as of the event. */
@Injectable()
export class WalkEntitiesQuery {
  constructor(
    private readonly source: DataSource,
    private readonly reader: Reader,
    private readonly events: FindEventsQuery,
  ) {}

  /** By their newest event, newest first; then those of which no event is stored, by name. */
  async *byChange(walked: WalkedEntities, from: Place | null): AsyncGenerator<Block<string>> {
    if (typeof from !== 'string') {
      const range = await this.events.storedRange(
        { after: 0, before: from ?? walked.asOf + 1 },
        walked.signal,
      );
      yield* this.changed(walked, range);
    }
    yield* this.removed(walked, typeof from === 'string' ? from : '');
  }

  /** Those whose newest event is in a range, newest first. @param index only these events */
  async *changed(
    { asOf, kind, signal }: WalkedEntities,
    range: SeqRange,
    index: SeqIndex | null = null,
  ): AsyncGenerator<Block<string>> {
    const newest = await this.tail(asOf, signal);
    const [after, before] = namesOf(kind);
    const rows = () => {
      const some = this.source
        .createQueryBuilder(EventEntity, 'e')
        .select(['e.seq AS seq', 'e.entity AS entity'])
        .where(IS_NEWEST, { asOf });
      return kind === undefined
        ? some
        : some.andWhere('e.entity > :afterName AND e.entity < :beforeName', {
            afterName: after,
            beforeName: before,
          });
    };
    const walk = { range, order: 'newest first', index, limit: BLOCK.most, rows } as const;
    for await (const found of walkSeqs<{ seq: number; entity: string }>({
      ...walk,
      orderBy: ['e.seq'],
      reader: this.reader,
      signal,
    }))
      yield {
        found: found.rows
          .filter(({ seq, entity }) => seq >= (newest.get(entity) ?? 0))
          .map(({ seq, entity }) => ({ item: entity, place: seq })),
        end: found.lastSeq,
      };
  }

  /** By name. @param limitOf the most per read; asked before each */
  byName(
    { asOf, kind, signal }: WalkedEntities,
    from: string,
    limitOf?: () => number,
  ): AsyncGenerator<Block<string>> {
    const read: ReadNames = (after, before, limit) =>
      this.reader.all(
        [NAMES, [after, before, before, limit, asOf, after, before, after, before, limit, limit]],
        signal,
      );
    return this.walkNames(kind, from, read, limitOf);
  }

  /** Those of which no event is stored, by name. */
  async *removed({ asOf, kind, signal }: WalkedEntities, from: string): AsyncGenerator<Block<string>> {
    const inTail = await this.tail(asOf, signal);
    const names = this.walkNames(kind, from, (after, before, limit) =>
      this.reader.all([REMOVED_NAMES, [after, before, asOf, limit]], signal),
    );
    for await (const { found, end } of names)
      yield { found: found.filter(({ item }) => !inTail.has(item)), end };
  }

  private async *walkNames(
    kind: string | undefined,
    from: string,
    read: ReadNames,
    limitOf = () => BLOCK.most,
  ): AsyncGenerator<Block<string>> {
    const [first, before] = namesOf(kind);
    const step = new AdaptiveStep(BLOCK.first, BLOCK.least, BLOCK.most);
    for (let after = from === '' ? first : from; ;) {
      const { rows, isLast } = await step.run(async (size) => {
        const limit = Math.min(size, limitOf());
        const found = await read(after, before, limit);
        return { rows: found, isLast: found.length < limit };
      });
      if (rows.length === 0) return;
      after = rows.at(-1)!.entity;
      yield { found: rows.map(({ entity }) => ({ item: entity, place: entity })), end: after };
      if (isLast) return;
    }
  }

  /** The newest event of each entity in the tail. */
  private async tail(asOf: number, signal: RequestSignal | undefined): Promise<ReadonlyMap<string, number>> {
    const rows = await this.reader.all<{ entity: string; seq: number }>([TAIL_ENTITIES, [asOf]], signal);
    return new Map(rows.map(({ entity, seq }) => [entity, seq]));
  }
}

/** The names of entities of a kind are between these two. */
const namesOf = (kind: string | undefined): [after: string, before: string] =>
  kind === undefined ? ['', LAST_NAME] : [`${kind}:`, `${kind};`];
