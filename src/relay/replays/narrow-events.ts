import type { OriginalOutcome, ReplayFilter } from '../../contract/replay';
import { OWN_TYPES, UNREADABLE_TYPE } from '../../contract/event';
import { bodyText } from '../database/text-index/body-text';
import type { Window } from '../events/search/seq-window';

/** SQL with its parameters, in the order of its question marks. */
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

const IS_READABLE = `e.type <> '${UNREADABLE_TYPE}'`;

/** The live delivery that every target has of an event that it accepted. */
const LIVE = `d.event_seq = e.seq AND d.n = 0 AND d."trigger" = 'live'`;

/** Which live deliveries `d` of event `e` are meant; where the targets are not named, only those that can be sent to. */
export function originalDeliveries({ target, outcomes }: ReplayFilter, named: boolean): Condition {
  const parts: Condition[] = [{ sql: LIVE, parameters: [] }];
  if (!named) {
    const sql = 'd.target_id IN (SELECT number FROM targets WHERE deleted_at IS NULL AND enabled = 1)';
    parts.push({ sql, parameters: [] });
  }
  if (target !== undefined)
    parts.push({ sql: 'd.target_id = (SELECT number FROM targets WHERE id = ?)', parameters: [target] });
  if (outcomes !== undefined)
    parts.push(
      among(
        'd.state',
        outcomes.flatMap((outcome) => STATES[outcome]),
      ),
    );
  return all(parts);
}

/** Which events `e` of a window are part of a replay: those that would be delivered to somebody. */
export function narrowEvents(filter: ReplayFilter, named: boolean, window: Window): Condition {
  const { types, entity, since, until, payload, q, target, missed_by: missedBy, outcomes } = filter;
  const parts: Condition[] = [
    { sql: 'e.seq > ? AND e.seq <= ?', parameters: [window.after, window.through] },
    ofTypes(types ?? ['*']),
  ];
  if (entity !== undefined) parts.push({ sql: 'e.entity = ?', parameters: [entity] });
  if (since !== undefined) parts.push({ sql: 'e.received_at >= ?', parameters: [since] });
  if (until !== undefined) parts.push({ sql: 'e.received_at < ?', parameters: [until] });
  // What cannot be read passes no filter of its content; the rest is seen once it is parsed.
  if (payload !== undefined) parts.push({ sql: IS_READABLE, parameters: [] });
  if (missedBy !== undefined) {
    const sql = `NOT EXISTS (SELECT 1 FROM deliveries d WHERE ${LIVE}
      AND d.target_id = (SELECT number FROM targets WHERE id = ?))`;
    parts.push({ sql, parameters: [missedBy] });
  }
  if (q !== undefined) parts.push({ sql: `instr(${bodyText('e')}, lower(?)) > 0`, parameters: [q] });
  if (!named || target !== undefined || outcomes !== undefined) {
    const { sql, parameters } = originalDeliveries(filter, named);
    parts.push({ sql: `EXISTS (SELECT 1 FROM deliveries d WHERE ${sql})`, parameters });
  }
  return all(parts);
}

/** As a target's globs: our own events only where asked for by name, what is unreadable only by a plain `*`. */
function ofTypes(globs: readonly string[]): Condition {
  const readable = globs.includes('*') ? '' : ` AND ${IS_READABLE}`;
  const own = globs.filter((glob) => glob.startsWith(OWN_TYPES));
  const isOwn = `e.type GLOB '${OWN_TYPES}*'`;
  return {
    sql: `CASE WHEN ${isOwn} THEN (${fits(own)}) ELSE (${fits(globs)})${readable} END`,
    parameters: [...own, ...globs],
  };
}

/** `0` where there is none. */
const fits = (globs: readonly string[]) => globs.map(() => 'e.type GLOB ?').join(' OR ') || '0';

/** `false` where there are no values. */
export const among = (column: string, values: readonly unknown[]): Condition => ({
  sql: `${column} IN (${values.map(() => '?').join(', ')})`,
  parameters: [...values],
});

const all = (parts: readonly Condition[]): Condition => ({
  sql: parts.map(({ sql }) => sql).join(' AND '),
  parameters: parts.flatMap(({ parameters }) => parameters),
});
