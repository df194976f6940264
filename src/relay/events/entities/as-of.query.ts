import { Injectable } from '@nestjs/common';
import type { EntityContext } from '../../../contract/entity';
import { Reader, type RequestSignal } from '../../database/reading/reader';
import { isoOrNull, toIso } from '../../ground/iso-time';
import { RelayError } from '../../ground/relay-error';
import { FindEventsQuery } from '../search/find-events.query';
import { firstSince } from '../search/survey-events.query';
import { DEALS_KNOWN_SINCE } from './known-deals';

/** What was known at a point in time, and what can be known at all. Times are ms since 1970. */
export interface AsOf {
  /** The last event that is taken into account. */
  seq: number;
  horizon: Place;
}

interface Place {
  seq: number;
  /** When the event was received, or the first after it that is stored; null if there is none. */
  at: number | null;
}

/** The horizon: below it, what retention has removed would have to be taken into account. */
const HORIZON = `SELECT floor_through AS seq,
  (SELECT received_at FROM events WHERE floor_through > 0 AND seq >= floor_through ORDER BY seq LIMIT 1) AS at FROM instance`;

const CONTEXT = `SELECT (SELECT received_at FROM events WHERE seq = ?) AS at,
  coalesce(floor_since, (SELECT received_at FROM events ORDER BY seq LIMIT 1)) AS since, ${DEALS_KNOWN_SINCE} AS "dealsSince" FROM instance`;

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
    const seq =
      point?.at === undefined
        ? Math.min(point?.seq ?? newest, newest)
        : (await firstSince(point.at + 1, range, this.reader, signal)) - 1;
    const [horizon] = await this.reader.all<Place>([HORIZON, []], signal);
    // Of a time before the first stored event, it is not known how many of those that were removed came later.
    const isBefore = seq < horizon!.seq || (point?.at !== undefined && seq === range.after);
    if (isBefore && horizon!.seq > 0) throw beforeHorizon(horizon!);
    return { seq, horizon: horizon! };
  }

  /** As the API presents it. @param kind of the entities that are asked for; undefined for all */
  async present(
    { seq, horizon }: AsOf,
    kind: string | undefined,
    signal?: RequestSignal,
  ): Promise<EntityContext> {
    const [found] = await this.reader.all<Known & { at: number | null }>([CONTEXT, [seq, seq, seq]], signal);
    return {
      as_of: { seq, at: isoOrNull(found!.at) },
      horizon: { seq: horizon.seq, at: isoOrNull(horizon.at) },
      coverage: coverageOf(kind, found!),
    };
  }
}

/** Times since which all entities that have changed are known, and all deals. */
interface Known {
  since: number | null;
  dealsSince: number | null;
}

function coverageOf(kind: string | undefined, { since, dealsSince }: Known): EntityContext['coverage'] {
  if (kind === 'deal' && dealsSince !== null) {
    const sentence = `Every deal that existed at ${toIso(dealsSince)} or was created since is known.`;
    return { complete: true, since: toIso(dealsSince), sentence };
  }
  const entities = kind === undefined && dealsSince !== null ? 'Entities other than deals' : 'Entities';
  return {
    complete: false,
    since: isoOrNull(since),
    sentence:
      since === null
        ? 'No event was received yet.'
        : `${entities} that have not changed since ${toIso(since)} are missing.`,
  };
}

const beforeHorizon = ({ seq, at }: Place) =>
  new RelayError(
    'as_of_before_horizon',
    422,
    'What was known then cannot be derived any more: retention has removed events of that time.',
    { remedy: `Ask for ${at === null ? '' : `${toIso(at)} or later, or `}as_of_seq=${seq} or later.` },
  );
