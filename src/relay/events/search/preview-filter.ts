import { Injectable } from '@nestjs/common';
import { UNREADABLE_TYPE } from '../../../contract/event';
import type { FilterPreview, FilterPreviewQuery } from '../../../contract/filter';
import { Reader, type RequestSignal } from '../../database/reader';
import { filterText } from '../../filters/compile-filter';
import { eventMatcher } from '../../targets/match-event';
import { FindEvents } from './find-events';
import { batchesOf, matchingContent, within } from './matching-content';

/** How many of the matches are shown. */
const SHOWN = 20;

/** So much is read and parsed, and for so long. */
const MOST_BYTES = 32 * 1024 * 1024;
const LOOK_MS = 2_000;

interface Head {
  seq: number;
  type: string;
  size: number;
}

/** What was looked at, the newest first, and what of it matches. */
interface Looked {
  count: number;
  matching: Head[];
}

/** Tries globs and a filter on what is stored already. */
@Injectable()
export class PreviewFilter {
  constructor(
    private readonly reader: Reader,
    private readonly findEvents: FindEvents,
  ) {}

  /** @throws RelayError `filter_refused`, 422 */
  async preview(
    { events, filter, last }: FilterPreviewQuery,
    signal?: RequestSignal,
  ): Promise<FilterPreview> {
    const accepts = eventMatcher(events);
    const text = filter === null ? null : filterText(filter);
    const newest = await this.reader.all<Head>(
      ['SELECT seq, type, length(body) AS size FROM events ORDER BY seq DESC LIMIT ?', [last]],
      signal,
    );
    const { count, matching } =
      text === null
        ? { count: newest.length, matching: newest.filter(accepts) }
        : await this.lookInto(within(MOST_BYTES, newest), accepts, text, signal);
    const shown = matching.slice(0, SHOWN).map(({ seq }) => seq);
    return {
      looked_at: count,
      matched: matching.length,
      data: await this.findEvents.of(shown, signal),
    };
  }

  private async lookInto(
    heads: readonly Head[],
    accepts: (head: Head) => boolean,
    filter: string,
    signal: RequestSignal | undefined,
  ): Promise<Looked> {
    const deadline = performance.now() + LOOK_MS;
    const looked: Looked = { count: 0, matching: [] };
    for (const batch of batchesOf(heads)) {
      const wanted = batch.filter((head) => head.type !== UNREADABLE_TYPE && accepts(head));
      const holding = await matchingContent({ heads: wanted, filter, reader: this.reader, signal });
      looked.matching.push(...wanted.filter(({ seq }) => holding.has(seq)));
      looked.count += batch.length;
      if (performance.now() > deadline) break;
    }
    return looked;
  }
}
