import type { Filter } from '../../contract/filter';
import type { Routing } from '../../contract/target';
import type { Statement } from '../database/journal/statements';
import { HOLD_APPENDS } from '../database/reading/dialect';
import { looksAtChanges } from '../filters/compile-filter';
import type { FieldError } from '../ground/relay-error';
import type { TargetSettings } from './target-record';

const NEWEST = '(SELECT coalesce(max(seq), 0) FROM events)';

const IS_ROUTED = 'routing IS NOT NULL AND deleted_at IS NULL';

/** How the deliveries of a target come about with this filter. @param before how they did */
export function routingFor(filter: Filter | null, before: Routing | null): Routing | null {
  if (filter !== null && looksAtChanges(filter)) return 'routed';
  return before === null ? null : 'draining';
}

/**
 * From the newest event on, the router creates the deliveries of a target. In the transaction that changes the target:
 * events after it are planned without that target.
 */
export const startRouting = (id: string): Statement[] => [
  [HOLD_APPENDS, []],
  [`UPDATE targets SET routed_from = ${NEWEST} WHERE id = ?`, [id]],
  [`INSERT INTO router(id, position) SELECT 1, ${NEWEST} WHERE TRUE ON CONFLICT DO NOTHING`, []],
];

/**
 * Deliveries are planned with the events again, unless the router is behind. A row is returned if so. `filter` is
 * named because other daemons then plan anew.
 */
export const endRouting = (id: string): Statement[] => [
  [HOLD_APPENDS, []],
  [
    `UPDATE targets SET routing = NULL, routed_from = NULL, filter = filter
     WHERE id = ? AND routing = 'draining' AND ${NEWEST} = (SELECT position FROM router) RETURNING number`,
    [id],
  ],
  STOP_UNUSED,
];

/** Without routed targets, there is no position: retention need not wait for the router. */
export const STOP_UNUSED: Statement = [
  `DELETE FROM router WHERE NOT EXISTS (SELECT 1 FROM targets WHERE ${IS_ROUTED})`,
  [],
];

/**
 * Checks that a target can have a filter on changes.
 * @param errors receives an error for each setting that does not fit it
 */
export function checkRouting(
  { filter, format, policy }: Pick<TargetSettings, 'filter' | 'format' | 'policy'>,
  errors: FieldError[],
): void {
  if (filter === null || !looksAtChanges(filter)) return;
  if (format !== 'json')
    errors.push({ path: 'filter', message: 'operators for changes are only for the format json' });
  if (policy.duplicates === 'deliver')
    errors.push({
      path: 'policy.duplicates',
      message: 'cannot be deliver with a filter on changes: a duplicate changes nothing',
    });
}
