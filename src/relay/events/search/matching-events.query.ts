import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { EventFilters } from '../../../contract/event';
import { Reader, type RequestSignal } from '../../database/reading/reader';
import {
  walkSeqs,
  type FoundRows,
  type SeqIndex,
  type SeqOrder,
  type SeqRange,
} from '../../database/reading/walk-seqs';
import { bodyConditions } from '../../filters/body-conditions';
import { EventEntity } from '../event.entity';
import { applyEventFilters } from './apply-event-filters';
import { EventIndexes } from './event-indexes';
import { matchBodies, toBatches, type Head } from './match-bodies';

/** Rows per read if bodies must be read: a read for a few rows costs as much as one for many. */
const ROWS_TO_READ = 500;

interface MatchingWalk {
  filters: EventFilters;
  range: SeqRange;
  order: SeqOrder;
  /** Rows per read. */
  limit: number;
  /** Further columns of events `e`, besides `seq` and `size`. */
  columns?: readonly string[];
  /** Default: the best one for the filters. */
  index?: SeqIndex;
  signal?: RequestSignal | undefined;
}

/** Reads the events that match the filters of a list, in order. */
@Injectable()
export class MatchingEventsQuery {
  constructor(
    private readonly source: DataSource,
    private readonly reader: Reader,
    private readonly indexes: EventIndexes,
  ) {}

  /** @throws RelayError `filter_invalid`, 422 */
  async *walk<Row extends Head>(walk: MatchingWalk): AsyncGenerator<FoundRows<Row>> {
    const { filters, range, order, limit, columns = [], signal } = walk;
    const conditions = bodyConditions(filters);
    const index = walk.index ?? (await this.indexes.choose(filters, range, signal));
    const rows = () =>
      applyEventFilters(
        this.source
          .createQueryBuilder(EventEntity, 'e')
          .select(['e.seq AS seq', 'length(e.body) AS size', ...columns]),
        filters,
      );
    for await (const found of walkSeqs<Row>({
      range,
      order,
      index,
      limit: conditions === null ? limit : Math.max(limit, ROWS_TO_READ),
      rows,
      orderBy: ['e.seq'],
      reader: this.reader,
      signal,
    })) {
      if (conditions === null) yield found;
      else yield* this.matching(found, conditions, signal);
    }
  }

  /** Those of the rows whose bodies match, after each batch of bodies: reading large ones takes long. */
  private async *matching<Row extends Head>(
    { rows, lastSeq }: FoundRows<Row>,
    conditions: string,
    signal: RequestSignal | undefined,
  ): AsyncGenerator<FoundRows<Row>> {
    const batches = toBatches(rows);
    for (const batch of batches) {
      const seqs = await matchBodies({ heads: batch, conditions, reader: this.reader, signal });
      yield {
        rows: batch.filter(({ seq }) => seqs.has(seq)),
        lastSeq: batch === batches.at(-1) ? lastSeq : batch.at(-1)!.seq,
      };
    }
    if (batches.length === 0) yield { rows: [], lastSeq };
  }
}
