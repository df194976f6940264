import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { EventNarrowing } from '../../../contract/event';
import { Reader, type RequestSignal } from '../../database/reader';
import { TextIndex } from '../../database/text-index/text-index';
import type { SeqIndex } from '../../database/walk-seqs';
import { isPattern } from './narrow-query';

/** The tables that hold one entity's, or one type's, events in order. */
type IndexTable = 'event_entities' | 'event_types';

/** Chooses the index that helps with a query. All are filled behind the events: what is newer is read without one. */
@Injectable()
export class EventIndexes {
  constructor(
    private readonly source: DataSource,
    private readonly reader: Reader,
    private readonly texts: TextIndex,
  ) {}

  /** An entity has few events, a text mostly too; one type may have nearly all. */
  async for({ entity, q, type }: EventNarrowing, signal?: RequestSignal): Promise<SeqIndex | null> {
    if (entity !== undefined) return this.inTable('event_entities', 'entity', entity, signal);
    const texts = q === undefined ? null : await this.texts.find(q);
    if (texts !== null)
      return {
        through: texts.through,
        candidates: (range, order, limit) => texts.candidates(range, order === 'newest first', limit),
      };
    const [only, ...others] = type ?? [];
    if (only !== undefined && others.length === 0 && !isPattern(only))
      return this.inTable('event_types', 'type', only, signal);
    return null;
  }

  private async inTable(
    table: IndexTable,
    column: 'entity' | 'type',
    value: string,
    signal?: RequestSignal,
  ): Promise<SeqIndex> {
    const [hub] = await this.source.query<{ through: number }[]>(
      'SELECT indexed_through AS through FROM instance',
    );
    return {
      through: hub!.through,
      candidates: async ({ after, before }, order, limit) => {
        const rows = await this.reader.all<{ seq: number }>(
          [
            `SELECT seq FROM ${table} WHERE ${column} = ? AND seq > ? AND seq < ?
           ORDER BY seq ${order === 'newest first' ? 'DESC' : 'ASC'} LIMIT ?`,
            [value, after, before, limit],
          ],
          signal,
        );
        return rows.map(({ seq }) => seq);
      },
    };
  }
}
