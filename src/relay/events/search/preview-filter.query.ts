import { Injectable } from '@nestjs/common';
import { UNREADABLE_TYPE } from '../../../contract/constants';
import type { ValueChange } from '../../../contract/entity';
import type { EventSummary } from '../../../contract/event';
import type { FilterPreview, FilterPreviewQuery } from '../../../contract/filter';
import { NOT_ERASED } from '../../database/erasure-rules';
import { Journal } from '../../database/journal/journal';
import { Reader, type RequestSignal } from '../../database/reading/reader';
import { bodyConditions } from '../../filters/body-conditions';
import { looksAtChanges } from '../../filters/compile-filter';
import { pathsIn } from '../../filters/masked-filter';
import type { PayloadMask } from '../../filters/payload-mask';
import { eventMatcher } from '../../targets/match-event';
import { EntityStatesQuery } from '../entities/entity-states.query';
import { idOfState, maskState } from '../entities/present-state';
import { changesBetween } from '../entities/changes-between';
import { maskEvent } from '../mask-event';
import { FindEventsQuery } from './find-events.query';
import { toBatches, matchBodies, takeBytes, type Head } from './match-bodies';

/** The maximum number of matches that are returned. */
const MAX_SHOWN = 20;
/** Of each of them. */
const MAX_CHANGES = 20;

/** Limits on the bodies that are parsed, and on the time it takes. */
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_SEARCH_MS = 2_000;

type TypedHead = Head & { type: string };

/** How many events were checked, and the matches, newest first. */
interface Matches {
  checked: number;
  matching: TypedHead[];
  /** How many of them match only because what they are compared with is not known. */
  unknown: number;
}

/** Shows which of the newest events a target with certain event patterns and a filter would receive. */
@Injectable()
export class PreviewFilterQuery {
  constructor(
    private readonly reader: Reader,
    private readonly findEvents: FindEventsQuery,
    private readonly states: EntityStatesQuery,
    private readonly journal: Journal,
  ) {}

  /** @throws RelayError `filter_invalid`, 422 */
  async preview(
    query: FilterPreviewQuery,
    mask: PayloadMask | null,
    signal?: RequestSignal,
  ): Promise<FilterPreview> {
    const { checked, matching, unknown } = await this.find(query, signal);
    const shown = await this.findEvents.bySeqs(
      matching.slice(0, MAX_SHOWN).map(({ seq }) => seq),
      signal,
    );
    const changes = await this.changesOf(shown, query.filter, mask, signal);
    return {
      checked,
      matched: matching.length,
      unknown,
      data: shown.map((event) => ({
        ...maskEvent(event, mask),
        ...(changes.get(event.seq) ?? { previous_event_id: null, changes: [] }),
      })),
    };
  }

  /** What each event changed, if the filter looks at that. */
  private async changesOf(
    events: readonly EventSummary[],
    filter: FilterPreviewQuery['filter'],
    mask: PayloadMask | null,
    signal: RequestSignal | undefined,
  ): Promise<Map<number, Pick<FilterPreview['data'][number], 'previous_event_id' | 'changes'>>> {
    if (filter === null || !looksAtChanges(filter)) return new Map();
    const paths = pathsIn(filter);
    const isOfFilter = ({ path }: ValueChange) =>
      paths.some((wanted) => `${path}.`.startsWith(`${wanted}.`) || `${wanted}.`.startsWith(`${path}.`));
    const seqs = events.map(({ seq }) => seq);
    const bodies = await this.findEvents.bodies(seqs, signal);
    const found = await this.states.before(seqs, signal);
    return new Map(
      events.flatMap(({ seq, type }) => {
        const [body, before] = [bodies.get(seq), found.get(seq)];
        if (body === undefined || before === undefined) return [];
        const { previous, knowledge } = before;
        const changes =
          knowledge === 'unknown'
            ? []
            : changesBetween(
                previous && maskState(previous, mask),
                maskState({ type, name: null, body }, mask),
              );
        const ordered = [...changes.filter(isOfFilter), ...changes.filter((change) => !isOfFilter(change))];
        return [
          [
            seq,
            {
              previous_event_id: previous && idOfState(previous, this.journal.instanceId),
              changes: ordered.slice(0, MAX_CHANGES),
            },
          ] as const,
        ];
      }),
    );
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
      ? { checked: newest.length, matching: newest.filter(accepts), unknown: 0 }
      : this.match(takeBytes(MAX_BYTES, newest), accepts, conditions, signal);
  }

  private async match(
    heads: readonly TypedHead[],
    accepts: (head: TypedHead) => boolean,
    conditions: string,
    signal: RequestSignal | undefined,
  ): Promise<Matches> {
    const deadline = performance.now() + MAX_SEARCH_MS;
    const matches: Matches = { checked: 0, matching: [], unknown: 0 };
    for (const batch of toBatches(heads)) {
      const wanted = batch.filter((head) => head.type !== UNREADABLE_TYPE && accepts(head));
      const matchingSeqs = await matchBodies({ heads: wanted, conditions, reader: this.reader, signal });
      matches.unknown += [...matchingSeqs.values()].filter((verdict) => verdict === null).length;
      matches.matching.push(...wanted.filter(({ seq }) => matchingSeqs.has(seq)));
      matches.checked += batch.length;
      if (performance.now() > deadline) break;
    }
    return matches;
  }
}
