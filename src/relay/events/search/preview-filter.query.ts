import { Injectable } from '@nestjs/common';
import { UNREADABLE_TYPE } from '../../../contract/constants';
import type { FilterPreview, FilterPreviewQuery } from '../../../contract/filter';
import { NOT_ERASED } from '../../database/erasure-rules';
import { Reader, type RequestSignal } from '../../database/reading/reader';
import { bodyConditions } from '../../filters/body-conditions';
import { eventMatcher } from '../../targets/match-event';
import { FindEventsQuery } from './find-events.query';
import { toBatches, matchBodies, takeBytes, type Head } from './match-bodies';

/** The maximum number of matches that are returned. */
const MAX_SHOWN = 20;

/** Limits on the bodies that are parsed, and on the time it takes. */
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_SEARCH_MS = 2_000;

type TypedHead = Head & { type: string };

/** How many events were checked, and the matches, newest first. */
interface Matches {
  checked: number;
  matching: TypedHead[];
}

/** Shows which of the newest events a target with certain event patterns and a filter would receive. */
@Injectable()
export class PreviewFilterQuery {
  constructor(
    private readonly reader: Reader,
    private readonly findEvents: FindEventsQuery,
  ) {}

  /** @throws RelayError `filter_invalid`, 422 */
  async preview(query: FilterPreviewQuery, signal?: RequestSignal): Promise<FilterPreview> {
    const { checked, matching } = await this.find(query, signal);
    const shown = matching.slice(0, MAX_SHOWN).map(({ seq }) => seq);
    return { checked, matched: matching.length, data: await this.findEvents.bySeqs(shown, signal) };
  }

  /** @throws RelayError `filter_invalid`, 422 */
  async find({ events, filter, last }: FilterPreviewQuery, signal?: RequestSignal): Promise<Matches> {
    const accepts = eventMatcher(events);
    const conditions = filter === null ? null : bodyConditions({ payload: filter });
    const newest = await this.reader.all<TypedHead>(
      [
        `SELECT seq, type, length(body) AS size FROM events e WHERE ${NOT_ERASED} ORDER BY seq DESC LIMIT ?`,
        [last],
      ],
      signal,
    );
    return conditions === null
      ? { checked: newest.length, matching: newest.filter(accepts) }
      : this.match(takeBytes(MAX_BYTES, newest), accepts, conditions, signal);
  }

  private async match(
    heads: readonly TypedHead[],
    accepts: (head: TypedHead) => boolean,
    conditions: string,
    signal: RequestSignal | undefined,
  ): Promise<Matches> {
    const deadline = performance.now() + MAX_SEARCH_MS;
    const matches: Matches = { checked: 0, matching: [] };
    for (const batch of toBatches(heads)) {
      const wanted = batch.filter((head) => head.type !== UNREADABLE_TYPE && accepts(head));
      const matchingSeqs = await matchBodies({ heads: wanted, conditions, reader: this.reader, signal });
      matches.matching.push(...wanted.filter(({ seq }) => matchingSeqs.has(seq)));
      matches.checked += batch.length;
      if (performance.now() > deadline) break;
    }
    return matches;
  }
}
