import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { EventFilters } from '../../../contract/event';
import { Reader, type RequestSignal } from '../../database/reader';
import { walkSeqs, type SeqRange } from '../../database/walk-seqs';
import { EventIndexes } from './event-indexes';
import { EventEntity } from '../event.entity';
import { applyEventFilters } from './apply-event-filters';
import { SAMPLE_COUNT, sampleIntervals } from './sample-intervals';

/** Events are counted exactly for this long; then the count is estimated from samples. */
const MAX_COUNT_MS = 1_000;
const EVENTS_PER_READ = 10_000;
const SAMPLE_EVENTS = 1_000;

export interface EventCount {
  events: number;
  estimated: boolean;
}

/** Counts the matching events of a range: exactly, or estimated if that takes too long. */
@Injectable()
export class CountEventsQuery {
  constructor(
    private readonly source: DataSource,
    private readonly reader: Reader,
    private readonly indexes: EventIndexes,
  ) {}

  async count(filters: EventFilters, range: SeqRange, signal?: RequestSignal): Promise<EventCount> {
    const deadline = performance.now() + MAX_COUNT_MS;
    const order = 'oldest first';
    const index = await this.indexes.choose(filters, signal);
    const rows = () => applyEventFilters(this.events('e.seq AS seq'), filters);
    let events = 0;
    for await (const { rows: found, lastSeq: at } of walkSeqs({
      range,
      order,
      index,
      limit: EVENTS_PER_READ,
      rows,
      orderBy: ['e.seq'],
      reader: this.reader,
      signal,
    })) {
      events += found.length;
      if (performance.now() > deadline && range.before - at > 1)
        return { events: Math.max(events, await this.estimate(filters, range, signal)), estimated: true };
    }
    return { events, estimated: false };
  }

  private async estimate(
    filters: EventFilters,
    { after, before }: SeqRange,
    signal?: RequestSignal,
  ): Promise<number> {
    let found = 0;
    for (const interval of sampleIntervals({ after, through: before - 1 }, SAMPLE_EVENTS)) {
      const sample = applyEventFilters(this.events('count(*) AS count'), filters).andWhere(
        'e.seq > :after AND e.seq <= :through',
        interval,
      );
      const [row] = await this.reader.all<{ count: number }>(sample.getQueryAndParameters(), signal);
      found += row!.count;
    }
    return Math.round((found * (before - 1 - after)) / (SAMPLE_COUNT * SAMPLE_EVENTS));
  }

  private events(select: string) {
    return this.source.createQueryBuilder(EventEntity, 'e').select(select);
  }
}
