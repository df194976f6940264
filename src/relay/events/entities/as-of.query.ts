import { Injectable } from '@nestjs/common';
import type { EntityContext } from '../../../contract/entity';
import { Reader, type RequestSignal } from '../../database/reading/reader';
import { isoOrNull, toIso } from '../../ground/iso-time';
import { RelayError } from '../../ground/relay-error';
import { FindEventsQuery } from '../search/find-events.query';
import { firstSince } from '../search/survey-events.query';

/** What was known at a point in time, and what can be known at all. Times are ms since 1970. */
export interface AsOf {
  /** The last event that is taken into account. */
  seq: number;
  horizon: Place;
}

interface Place {
  seq: number;
  /** When the event was received; null if it is not stored. */
  at: number | null;
}

const RECEIVED_AT = '(SELECT received_at FROM events WHERE seq = ?)';

/**
 * The horizon: below it, what retention has removed would have to be taken into account. The first event after it is the
 * first that is certainly known.
 */
const HORIZON = `SELECT i.pruned_through AS seq, (SELECT received_at FROM events WHERE seq = i.pruned_through) AS at,
  (SELECT received_at FROM events WHERE seq > i.pruned_through ORDER BY seq LIMIT 1) AS since FROM instance i`;

/** Finds the `seq` of a point in time. */
@Injectable()
export class AsOfQuery {
  constructor(
    private readonly reader: Reader,
    private readonly events: FindEventsQuery,
  ) {}

  /**
   * @param point by default the present; one in the future is the present, too
   * @throws RelayError `as_of_before_horizon`, 422
   */
  async resolve(
    point?: { seq?: number | undefined; at?: number | undefined },
    signal?: RequestSignal,
  ): Promise<AsOf> {
    const range = await this.events.storedRange({ after: 0, before: Infinity }, signal);
    const newest = range.before - 1;
    const asked =
      point?.at === undefined
        ? Math.min(point?.seq ?? newest, newest)
        : (await firstSince(point.at + 1, range, this.reader, signal)) - 1;
    const horizon = await this.horizon(signal);
    if (asked < horizon.seq) throw beforeHorizon(horizon);
    return { seq: asked, horizon };
  }

  /** As the API presents it. */
  async present({ seq, horizon }: AsOf, signal?: RequestSignal): Promise<EntityContext> {
    const [found] = await this.reader.all<{ at: number | null; since: number | null }>(
      [`SELECT ${RECEIVED_AT} AS at, h.since FROM (${HORIZON}) h`, [seq]],
      signal,
    );
    const { at, since } = found!;
    return {
      as_of: { seq, at: isoOrNull(at) },
      horizon: { seq: horizon.seq, at: isoOrNull(horizon.at) },
      coverage: {
        complete: false,
        since: isoOrNull(since),
        sentence:
          since === null
            ? 'No event was received yet.'
            : `Entities that have not changed since ${toIso(since)} are missing.`,
      },
    };
  }

  private async horizon(signal?: RequestSignal): Promise<Place> {
    const [horizon] = await this.reader.all<Place>([HORIZON, []], signal);
    return { seq: horizon!.seq, at: horizon!.at };
  }
}

const beforeHorizon = ({ seq, at }: Place) =>
  new RelayError(
    'as_of_before_horizon',
    422,
    'What was known then cannot be derived any more: retention has removed events of that time.',
    { remedy: `Ask for ${at === null ? '' : `${toIso(at)} or later, or `}as_of_seq=${seq} or later.` },
  );
