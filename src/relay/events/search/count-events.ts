import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { EventNarrowing } from '../../../contract/event';
import { Reader, type RequestSignal } from '../../database/reader';
import { walkSeqs, type SeqRange } from '../../database/walk-seqs';
import { EventIndexes } from './event-indexes';
import { EventEntity } from '../event.entity';
import { narrowQuery } from './narrow-query';
import { SAMPLES, samplesOf } from './seq-window';

/** For so long they are counted one by one; then samples are taken. */
const COUNT_MS = 1_000;
const COUNTED_AT_ONCE = 10_000;
const SAMPLE_EVENTS = 1_000;

export interface EventCount {
  events: number;
  estimated: boolean;
}

/** How many events of a range a query wants: exactly, or in about the time that one may wait for it. */
@Injectable()
export class CountEvents {
  constructor(
    private readonly source: DataSource,
    private readonly reader: Reader,
    private readonly indexes: EventIndexes,
  ) {}

  async count(wanted: EventNarrowing, range: SeqRange, signal?: RequestSignal): Promise<EventCount> {
    const deadline = performance.now() + COUNT_MS;
    const order = 'oldest first';
    const index = await this.indexes.for(wanted, signal);
    const rows = () => narrowQuery(this.events('e.seq AS seq'), wanted);
    let events = 0;
    for await (const { rows: found, at } of walkSeqs({
      range,
      order,
      index,
      limit: COUNTED_AT_ONCE,
      rows,
      by: ['e.seq'],
      reader: this.reader,
      signal,
    })) {
      events += found.length;
      if (performance.now() > deadline && range.before - at > 1)
        return { events: Math.max(events, await this.estimate(wanted, range, signal)), estimated: true };
    }
    return { events, estimated: false };
  }

  private async estimate(
    wanted: EventNarrowing,
    { after, before }: SeqRange,
    signal?: RequestSignal,
  ): Promise<number> {
    let found = 0;
    for (const window of samplesOf({ after, through: before - 1 }, SAMPLE_EVENTS)) {
      const some = narrowQuery(this.events('count(*) AS count'), wanted).andWhere(
        'e.seq > :after AND e.seq <= :through',
        window,
      );
      const [row] = await this.reader.all<{ count: number }>(some.getQueryAndParameters(), signal);
      found += row!.count;
    }
    return Math.round((found * (before - 1 - after)) / (SAMPLES * SAMPLE_EVENTS));
  }

  private events(select: string) {
    return this.source.createQueryBuilder(EventEntity, 'e').select(select);
  }
}
