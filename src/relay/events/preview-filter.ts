import { Injectable } from '@nestjs/common';
import { UNREADABLE_TYPE } from '../../contract/event';
import type { FilterPreview, FilterPreviewQuery } from '../../contract/filter';
import { Reader } from '../database/reader';
import { compileFilter } from '../targets/compile-filter';
import { eventMatcher } from '../targets/match-event';
import { FindEvents } from './find-events';
import { matchingContent, within } from './matching-content';

/** How many of the matches are shown. */
const SHOWN = 20;

/** So much is read and parsed. */
const MOST_BYTES = 32 * 1024 * 1024;

interface Head {
  seq: number;
  type: string;
  size: number;
}

/** Tries globs and a filter on what is stored already. */
@Injectable()
export class PreviewFilter {
  constructor(
    private readonly reader: Reader,
    private readonly findEvents: FindEvents,
  ) {}

  /** @throws RelayError `filter_refused`, 422 */
  async preview({ events, filter, last }: FilterPreviewQuery): Promise<FilterPreview> {
    const accepts = eventMatcher(events);
    const matches = filter === null ? null : compileFilter(filter);
    const newest = await this.reader.all<Head>([
      'SELECT seq, type, length(body) AS size FROM events ORDER BY seq DESC LIMIT ?',
      [last],
    ]);
    const heads = matches === null ? newest : within(MOST_BYTES, newest);
    let matching = heads.filter(accepts);
    if (matches !== null) {
      const readable = matching.filter(({ type }) => type !== UNREADABLE_TYPE);
      const holding = await matchingContent(readable, matches, this.reader);
      matching = readable.filter(({ seq }) => holding.has(seq));
    }
    return {
      looked_at: heads.length,
      matched: matching.length,
      data: await this.findEvents.of(matching.slice(0, SHOWN).map(({ seq }) => seq)),
    };
  }
}
