import { Injectable } from '@nestjs/common';
import type { EventFilters, EventSummary, ListedEvent } from '../../../contract/event';
import { greater } from '../../database/reading/dialect';
import { Journal } from '../../database/journal/journal';
import { Reader, type RequestSignal } from '../../database/reading/reader';
import { acceptedOf, positionId, seqOfEventId } from '../../ground/ids';
import { RelayError } from '../../ground/relay-error';
import { eventMatcher } from '../../targets/match-event';
import { FindEventsQuery } from '../search/find-events.query';
import { takeBytes } from '../search/match-bodies';
import { firstSince } from '../search/survey-events.query';
import { ReadFieldsQuery } from '../search/read-fields.query';

/** One read examines events for at most this long. */
const MAX_SEARCH_MS = 2_000;

/** A page ends when its bodies exceed this. */
const PAGE_BYTES = 1024 * 1024;

/** A place in the order of events: its reader has everything up to `seq`. */
export interface Position {
  seq: number;
  /** How many removed events behind it the reader knows about: it is told of a loss only once. */
  accepted: number;
}

/** Which events follow a position, and what is read of them. */
export interface Following {
  filters: Omit<EventFilters, 'status' | 'target'>;
  /** Patterns as those of a target, which accept system events only by their prefix. */
  types?: readonly string[];
  fields?: readonly string[] | undefined;
  withBodies: boolean;
  limit: number;
}

export interface NextEvents {
  events: ListedEvent[];
  /** By `seq`; null if they were not asked for. */
  bodies: ReadonlyMap<number, Uint8Array> | null;
  /** Behind the last event examined. */
  position: Position;
  newestSeq: number;
}

/** `missing`: how many events behind a position were removed; retention removes them in any order. */
interface Stored {
  newest: number;
  missing: number;
}

/** How many events behind a position were removed, as SQL with the row of `instance`. */
export const missingBehind = (position: string): string =>
  `${greater('pruned_through', position)} - ${position}
    - (SELECT count(*) FROM events WHERE seq > ${position} AND seq <= pruned_through)`;

const STORED = `SELECT coalesce((SELECT max(seq) FROM events), 0) AS newest, ${missingBehind('?')} AS missing FROM instance`;

/** Reads what follows a position, oldest first. */
@Injectable()
export class NextEventsQuery {
  constructor(
    private readonly reader: Reader,
    private readonly journal: Journal,
    private readonly events: FindEventsQuery,
    private readonly fields: ReadFieldsQuery,
  ) {}

  /**
   * @param after as `eventPosition` of the contract, or a time in ms since 1970: before the first event received then
   * @throws RelayError `position_unknown`, 410, if it is of another instance
   */
  async resolve(after: string | number, signal?: RequestSignal): Promise<Position> {
    if (typeof after === 'number') {
      const { newest } = await this.stored(0, signal);
      const first = await firstSince(after, { after: 0, before: newest + 1 }, this.reader, signal);
      return { seq: first - 1, accepted: (await this.stored(first - 1, signal)).missing };
    }
    if (after === 'oldest') return { seq: 0, accepted: (await this.stored(0, signal)).missing };
    if (after === 'newest') return { seq: (await this.stored(0, signal)).newest, accepted: 0 };
    if (/^\d+$/.test(after)) return { seq: Number(after), accepted: 0 };
    const seq = seqOfEventId(after, this.journal.instanceId);
    if (seq === null) throw positionUnknown('it is not of this hub, or from before a restore');
    return { seq, accepted: acceptedOf(after) };
  }

  /**
   * Resolves a position for a reader that stands at `from`, and need not be told again of the losses it knows about.
   * @throws RelayError `position_unknown`, 410
   */
  async advance(from: Position, after: string | number, signal?: RequestSignal): Promise<Position> {
    const to = await this.resolve(after, signal);
    const { newest, missing } = await this.stored(to.seq, signal);
    if (to.seq > newest) throw positionUnknown(`the newest event has the seq ${newest}`);
    if (from.accepted === 0 || to.accepted > 0) return to;
    const passed = (await this.stored(from.seq, signal)).missing - missing;
    return { seq: to.seq, accepted: Math.max(0, from.accepted - passed) };
  }

  /** The same position, for a reader that accepts all losses behind it. @throws RelayError `position_unknown`, 410 */
  async accept({ seq }: Position): Promise<Position> {
    const { newest, missing } = await this.stored(seq);
    if (seq > newest) throw positionUnknown(`the newest event has the seq ${newest}`);
    return { seq, accepted: missing };
  }

  /** How many events behind a position were removed that its reader does not know about. */
  async missedBehind({ seq, accepted }: Position): Promise<number> {
    return Math.max(0, (await this.stored(seq)).missing - accepted);
  }

  /**
   * The next events that match; none if there are none, or not among those examined within 2 s.
   * @param newest the newest event stored, if that is known
   * @throws RelayError `position_pruned`, `position_unknown`, 410; `filter_invalid`, 422; `invalid_request`, 400
   */
  async read(
    following: Following,
    from: Position,
    signal?: RequestSignal,
    newest?: number,
  ): Promise<NextEvents> {
    const before = 1 + (newest ?? (await this.assertComplete(from, signal)).newest);
    const { found, through } = await this.search(following, { after: from.seq, before }, signal);
    const { fields, withBodies } = following;
    const events = fields === undefined ? found : await this.fields.addTo(found, fields, signal);
    const seqs = found.map(({ seq }) => seq);
    const bodies = withBodies ? await this.events.bodies(seqs, signal) : null;
    // Again: what was removed during the search is not in it.
    const { newest: newestSeq } = await this.assertComplete(from, signal);
    const accepted = from.accepted === 0 ? 0 : (await this.stored(through, signal)).missing;
    return { events, bodies, position: { seq: through, accepted }, newestSeq };
  }

  /** @throws RelayError `position_pruned`, `position_unknown`, 410 */
  private async assertComplete({ seq, accepted }: Position, signal?: RequestSignal): Promise<Stored> {
    const stored = await this.stored(seq, signal);
    const missed = stored.missing - accepted;
    if (seq > stored.newest) throw positionUnknown(`the newest event has the seq ${stored.newest}`);
    if (missed > 0) throw positionPruned(missed, positionId(seq, stored.missing, this.journal.instanceId));
    return stored;
  }

  private async search(
    { filters, types, limit, withBodies }: Following,
    range: { after: number; before: number },
    signal?: RequestSignal,
  ): Promise<{ found: EventSummary[]; through: number }> {
    const deadline = performance.now() + MAX_SEARCH_MS;
    const accepts = eventMatcher(types ?? []);
    const selected = types === undefined ? filters : { ...filters, type: [...types] };
    const found: EventSummary[] = [];
    let through = range.after;
    for await (const { rows, lastSeq } of this.events.walk(selected, range, 'oldest first', limit, signal)) {
      // What was erased is passed over.
      const stored = rows.filter((event) => event.erased_at === null);
      found.push(...(types === undefined ? stored : stored.filter(accepts)));
      through = lastSeq;
      if (found.length >= limit || performance.now() > deadline) break;
    }
    const sized = found.slice(0, limit).map((event) => ({ seq: event.seq, size: event.size_bytes, event }));
    const page = takeBytes(withBodies ? PAGE_BYTES : Infinity, sized).map(({ event }) => event);
    return { found: page, through: page.length < found.length ? page.at(-1)!.seq : through };
  }

  private async stored(seq: number, signal?: RequestSignal): Promise<Stored> {
    const [stored] = await this.reader.all<Stored>([STORED, [seq, seq, seq]], signal);
    return stored!;
  }
}

const positionPruned = (missed: number, oldestCursor: string) =>
  new RelayError(
    'position_pruned',
    410,
    `${missed} events behind this position were removed before they were read.`,
    {
      remedy: 'Go on from `oldest_cursor`, which accepts this loss.',
      members: { missed, oldest_cursor: oldestCursor },
    },
  );

const positionUnknown = (why: string) =>
  new RelayError('position_unknown', 410, `There is no such position: ${why}.`, {
    remedy: 'Start again from `oldest` or `newest`.',
  });
