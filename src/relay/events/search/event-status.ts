import type { DeliveryState } from '../../../contract/delivery';
import type { EventFilters, EventStatus, EventSummary } from '../../../contract/event';
import { IS_DEAD_LETTER, IS_LATEST } from '../../database/journal/delivery-conditions';
import { greater, toJsonList } from '../../database/reading/dialect';

/**
 * The status of an event at a target is that of its newest delivery there, or of a dead letter that blocks a lane: a
 * successful replay supersedes the dead letter before it. At a deleted target, where no retry is possible, a dead
 * letter counts as cancelled. The status of an event is the most severe one among its targets. With the filter
 * `target`, both are those at that target.
 */
const STATUS_BY_RANK: readonly EventStatus[] = [
  'unmatched',
  'cancelled',
  'succeeded',
  'pending',
  'retrying',
  'dead',
];

const PENDING = STATUS_BY_RANK.indexOf('pending');

const IS_TO_DELETED = 'd.target_id IN (SELECT number FROM targets WHERE deleted_at IS NOT NULL)';

const RANK = `CASE d.state
  WHEN 'dead' THEN CASE WHEN ${IS_TO_DELETED} THEN 1 ELSE 5 END WHEN 'retrying' THEN 4 WHEN 'succeeded' THEN 2 WHEN 'cancelled' THEN 1 ELSE 3 END`;

type OfTarget = Pick<EventFilters, 'target'>;

/** The deliveries that decide; a filter by target sets the parameter `target`. */
const deciding = ({ target }: OfTarget) =>
  `deliveries d WHERE d.event_seq = e.seq AND (${IS_LATEST} OR d.state = 'dead' AND ${IS_DEAD_LETTER})${
    target === undefined ? '' : ' AND d.target_id = (SELECT number FROM targets WHERE id = :target)'
  }`;

/** SQL: whether the router has not evaluated event `e`. */
const IS_AWAITED = 'e.seq > (SELECT position FROM router)';

const routedTargets = ({ target }: OfTarget) =>
  `targets t WHERE t.routing IS NOT NULL AND t.deleted_at IS NULL${target === undefined ? '' : ' AND t.id = :target'}`;

/** SQL for the rank of event `e`; 0 if it has no delivery, and none may follow. */
export const statusRank = (filters: OfTarget) =>
  greater(
    `coalesce((SELECT max(${RANK}) FROM ${deciding(filters)}), 0)`,
    `CASE WHEN ${IS_AWAITED} AND EXISTS (SELECT 1 FROM ${routedTargets(filters)}) THEN ${PENDING} ELSE 0 END`,
  );

/** SQL for the ranks of event `e` at its targets, as a JSON array. */
export const targetRanks = (filters: OfTarget) =>
  `(SELECT ${toJsonList('ranked.rank')} FROM (
    SELECT max(${RANK}) AS rank FROM ${deciding(filters)} GROUP BY d.target_id
    UNION ALL SELECT ${PENDING} FROM ${routedTargets(filters)} AND ${IS_AWAITED}) ranked)`;

/** How many targets have each status, and the status of the event. */
export function countTargets(ranks: string): Pick<EventSummary, 'status' | 'targets'> {
  const severest = (JSON.parse(ranks) as number[]).toSorted((one, other) => other - one);
  const targets: EventSummary['targets'] = {};
  for (const status of severest.map(statusOfRank)) targets[status] = (targets[status] ?? 0) + 1;
  return { status: statusOfRank(severest[0] ?? 0), targets };
}

export const statusOfRank = (rank: number): EventStatus => STATUS_BY_RANK[rank] ?? 'pending';

/** The states of which an event with this status has at least one delivery; undefined if it may have none. */
export function statesOf(status: EventStatus): readonly DeliveryState[] | undefined {
  if (status === 'unmatched') return undefined;
  return status === 'cancelled' ? ['cancelled', 'dead'] : [status];
}

export const rankOfStatus = (status: EventStatus): number => STATUS_BY_RANK.indexOf(status);
