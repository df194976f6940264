import { SYSTEM_EVENT_PREFIX, UNREADABLE_TYPE } from '../../contract/constants';
import type { OriginalOutcome, ReplayFilter } from '../../contract/replay';
import { NOT_ERASED } from '../database/erasure-rules';
import { matchesPattern } from '../database/reading/dialect';
import type { SeqInterval } from '../database/reading/read-in-chunks';

/** An SQL condition with its positional parameters. */
export interface Condition {
  sql: string;
  parameters: unknown[];
}

const STATES: Record<OriginalOutcome, string[]> = {
  open: ['waiting', 'pending', 'retrying'],
  succeeded: ['succeeded'],
  dead: ['dead'],
  cancelled: ['cancelled'],
};

/** With those of system events. */
const EVERY_TYPE = ['*', `${SYSTEM_EVENT_PREFIX}*`];

const IS_READABLE = `e.type <> '${UNREADABLE_TYPE}'`;

/** The live delivery of an event to each target that accepted it. */
const IS_LIVE = `d.n = 0 AND d."trigger" = 'live'`;

/** Whether a delivery was not made by this replay, which may have come past the event at another target. */
const isOfOthers = (delivery: string) => `coalesce(${delivery}.replay_id, '') <> ?`;

/** The latest delivery of an event to each target: what became of it there so far. */
const IS_LATEST = `${isOfOthers('d')} AND NOT EXISTS (
  SELECT 1 FROM deliveries newer WHERE newer.event_seq = d.event_seq AND newer.target_id = d.target_id
    AND newer.n > d.n AND ${isOfOthers('newer')})`;

/** Whether the router may still create a live delivery of event `e` to a target. */
const MAY_FOLLOW = `(e.seq > coalesce((SELECT position FROM router), e.seq)
  AND EXISTS (SELECT 1 FROM targets WHERE id = ? AND routing IS NOT NULL))`;

/** Stands for the replay that does not exist yet. */
export const NEW_REPLAY = 'new';

/**
 * Where a replay is sent: to named targets, or to those of the original deliveries if they are enabled. `disabled` are
 * those of the original deliveries that it leaves out.
 */
export type Destination = 'named' | 'enabled' | 'disabled';

/**
 * The condition for original deliveries `d` of event `e`; with named targets, to any target. They are the live ones;
 * with `outcomes`, the latest ones, since an event that was retried with success has not failed.
 */
export function originalDeliveries(
  { target, outcomes }: ReplayFilter,
  to: Destination,
  replayId: string,
): Condition {
  const parts: Condition[] = [
    { sql: 'd.event_seq = e.seq', parameters: [] },
    outcomes === undefined
      ? { sql: IS_LIVE, parameters: [] }
      : { sql: IS_LATEST, parameters: [replayId, replayId] },
  ];
  if (to !== 'named') {
    const sql = 'd.target_id IN (SELECT number FROM targets WHERE deleted_at IS NULL AND enabled = ?)';
    parts.push({ sql, parameters: [to === 'enabled' ? 1 : 0] });
  }
  if (target !== undefined)
    parts.push({ sql: 'd.target_id = (SELECT number FROM targets WHERE id = ?)', parameters: [target] });
  if (outcomes !== undefined)
    parts.push(
      isIn(
        'd.state',
        outcomes.flatMap((outcome) => STATES[outcome]),
      ),
    );
  return allOf(parts);
}

/** The condition for events `e` of an interval that are part of a replay: those with at least one target. */
export function eventsInReplay(
  filter: ReplayFilter,
  to: Destination,
  range: SeqInterval,
  replayId: string,
): Condition {
  const {
    seqs,
    types = seqs === undefined ? ['*'] : EVERY_TYPE,
    entity,
    since,
    until,
    payload,
    target,
    missed_by: missedBy,
    outcomes,
  } = filter;
  const parts: Condition[] = [
    { sql: 'e.seq > ? AND e.seq <= ?', parameters: [range.after, range.through] },
    ofTypes(types),
    { sql: NOT_ERASED, parameters: [] },
  ];
  if (seqs !== undefined) parts.push(isIn('e.seq', seqs));
  if (entity !== undefined) parts.push({ sql: 'e.entity = ?', parameters: [entity] });
  if (since !== undefined) parts.push({ sql: 'e.received_at >= ?', parameters: [since] });
  if (until !== undefined) parts.push({ sql: 'e.received_at < ?', parameters: [until] });
  // Unreadable events match no payload filter. What needs the body of an event is checked after this.
  if (payload !== undefined) parts.push({ sql: IS_READABLE, parameters: [] });
  if (missedBy !== undefined) {
    const sql = `NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.event_seq = e.seq
      AND d.target_id = (SELECT number FROM targets WHERE id = ?)
      AND (${IS_LIVE} OR d.state <> 'cancelled') AND ${isOfOthers('d')}) AND NOT ${MAY_FOLLOW}`;
    parts.push({ sql, parameters: [missedBy, replayId, missedBy] });
  }
  if (to !== 'named' || target !== undefined || outcomes !== undefined) {
    const { sql, parameters } = originalDeliveries(filter, to, replayId);
    parts.push({ sql: `EXISTS (SELECT 1 FROM deliveries d WHERE ${sql})`, parameters });
  }
  return allOf(parts);
}

/** Like the patterns of a target: system events only match a pattern with their prefix, unreadable ones only `*`. */
function ofTypes(patterns: readonly string[]): Condition {
  const readable = patterns.includes('*') ? '' : ` AND ${IS_READABLE}`;
  const systemPatterns = patterns.filter((pattern) => pattern.startsWith(SYSTEM_EVENT_PREFIX));
  const isSystemEvent = matchesPattern('e.type', `'${SYSTEM_EVENT_PREFIX}*'`);
  return {
    sql: `CASE WHEN ${isSystemEvent} THEN (${matchesAny(systemPatterns)}) ELSE (${matchesAny(patterns)})${readable} END`,
    parameters: [...systemPatterns, ...patterns],
  };
}

/** `FALSE` for an empty list. */
const matchesAny = (patterns: readonly string[]) =>
  patterns.map(() => matchesPattern('e.type')).join(' OR ') || 'FALSE';

/** Matches nothing if there are no values. */
export const isIn = (column: string, values: readonly unknown[]): Condition => ({
  sql: `${column} IN (${values.map(() => '?').join(', ')})`,
  parameters: [...values],
});

const allOf = (parts: readonly Condition[]): Condition => ({
  sql: parts.map(({ sql }) => sql).join(' AND '),
  parameters: parts.flatMap(({ parameters }) => parameters),
});
