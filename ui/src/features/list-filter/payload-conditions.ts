import { OPERATOR_LABELS } from '../target-form/filter-builder/builder-operators';
import { toFilter, toGroup, type ConditionDraft } from '../target-form/filter-builder/filter-draft';
import { parsePayload } from '../../search/payload-conditions';

/** The conditions of a filter, all of which must match; null if it has another form, such as `$or`. */
export function conditionsOf(payload: string | undefined): ConditionDraft[] | null {
  const filter = payload === undefined ? {} : parsePayload(payload);
  const group = filter === null ? null : toGroup(filter);
  if (group === null || (group.match === 'any' && group.items.length > 1)) return null;
  const conditions = group.items.filter((item) => item.kind === 'condition');
  return conditions.length === group.items.length ? conditions : null;
}

/** The filter as it stands in the URL. */
export function toPayload(conditions: readonly ConditionDraft[]): string | undefined {
  const filter = toFilter({ kind: 'group', match: 'all', items: conditions });
  return filter === null ? undefined : JSON.stringify(filter);
}

/** `data.price at least 10000`. */
export const describeCondition = ({ path, operator, value }: ConditionDraft): string =>
  `${path} ${OPERATOR_LABELS[operator]} ${value}`.trim();
