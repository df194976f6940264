import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { EventFilters } from '../../../contract/event';
import { Reader, type RequestSignal } from '../../database/reading/reader';
import { TextIndex } from '../../database/sqlite/text-index/text-index';
import { indexOfSeqs, type SeqIndex, type SeqRange } from '../../database/reading/walk-seqs';
import { DeliveryIndexes } from '../../deliveries/delivery-indexes';
import { statesOf } from './event-status';
import { isPattern } from './apply-event-filters';

/** Chooses the best index for a query. Indexes lag behind; newer events are read without one. */
@Injectable()
export class EventIndexes {
  constructor(
    private readonly source: DataSource,
    private readonly reader: Reader,
    private readonly texts: TextIndex,
    private readonly deliveries: DeliveryIndexes,
  ) {}

  /**
   * The most selective first: an entity has few events, as do most texts; a status may be rare, all the more at one
   * target; one type may have nearly all.
   */
  async choose(
    { seq, entity, q, type, target, status }: EventFilters,
    range: SeqRange,
    signal?: RequestSignal,
  ): Promise<SeqIndex | null> {
    if (seq !== undefined) return indexOfSeqs(seq);
    if (entity !== undefined) return this.inTable('event_entities', 'entity', entity, signal);
    const texts = q === undefined ? null : await this.texts.find(q);
    if (texts !== null) return texts;
    const states = status && statesOf(status);
    if (target !== undefined || (states !== undefined && status !== 'succeeded')) {
      const ofDeliveries = await this.deliveries.for({ target, states }, range);
      if (ofDeliveries !== null) return ofDeliveries;
    }
    const [only, ...others] = type ?? [];
    if (only !== undefined && others.length === 0 && !isPattern(only))
      return this.inTable('event_types', 'type', only, signal);
    return null;
  }

  private async inTable(
    table: 'event_entities' | 'event_types',
    column: 'entity' | 'type',
    value: string,
    signal?: RequestSignal,
  ): Promise<SeqIndex> {
    const [instance] = await this.source.query<{ through: number }[]>(
      'SELECT indexed_through AS through FROM instance',
    );
    return {
      through: instance!.through,
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
