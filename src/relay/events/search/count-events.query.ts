import { Injectable } from '@nestjs/common';
import type { EventCount, EventFilters, EventHistogram, EventHistogramQuery } from '../../../contract/event';
import { Reader, type RequestSignal } from '../../database/reading/reader';
import type { SeqRange } from '../../database/reading/walk-seqs';
import { Clock } from '../../ground/clock';
import { Buckets } from './buckets';
import { statusOfRank, statusRank } from './event-status';
import { FindEventsQuery } from './find-events.query';
import type { Head } from './match-bodies';
import { SurveyEventsQuery } from './survey-events.query';

/** Counts matching events, all together or by time and status; estimates if that takes too long. */
@Injectable()
export class CountEventsQuery {
  constructor(
    private readonly events: SurveyEventsQuery,
    private readonly findEvents: FindEventsQuery,
    private readonly reader: Reader,
    private readonly clock: Clock,
  ) {}

  /** @throws RelayError `filter_invalid`, 422 */
  async count(filters: EventFilters, signal?: RequestSignal): Promise<EventCount> {
    return this.countRange(filters, await this.findEvents.storedRange(ALL, signal), signal);
  }

  /** @throws RelayError `filter_invalid`, 422 */
  async countRange(filters: EventFilters, range: SeqRange, signal?: RequestSignal): Promise<EventCount> {
    let count = 0;
    const visit = (_: Head, weight: number) => (count += weight);
    const { estimated } = await this.events.survey({ filters, range, visit, signal });
    return { count: Math.round(count), estimated };
  }

  /** @throws RelayError `filter_invalid`, 422 */
  async histogram(
    { buckets: maxBuckets, ...filters }: EventHistogramQuery,
    signal?: RequestSignal,
  ): Promise<EventHistogram> {
    const range = await this.findEvents.storedRange(ALL, signal);
    const since = filters.since ?? (await this.receivedAt(range.after + 1, signal));
    const buckets = new Buckets(since, filters.until ?? this.clock.now(), maxBuckets);
    const { estimated } = await this.events.survey<Head & { at: number; rank: number }>({
      filters,
      range,
      columns: ['e.received_at AS at', `${statusRank(filters)} AS rank`],
      visit: ({ at, rank }, weight) => buckets.add(at, statusOfRank(rank), weight),
      signal,
    });
    return { ...buckets.toHistogram(), estimated };
  }

  private async receivedAt(seq: number, signal?: RequestSignal): Promise<number> {
    const [event] = await this.reader.all<{ at: number }>(
      ['SELECT received_at AS at FROM events WHERE seq = ?', [seq]],
      signal,
    );
    return event?.at ?? this.clock.now();
  }
}

const ALL: SeqRange = { after: 0, before: Infinity };
