import type { Filter } from '@contract/filter';
import { OPERATOR_LABELS } from './builder-operators';
import { toGroup, type ConditionDraft, type GroupDraft } from './filter-draft';

const join = ({ match, items }: GroupDraft): string =>
  items.map(describe).join(match === 'all' ? ' and ' : ' or ');

const describe = (item: ConditionDraft | GroupDraft): string =>
  item.kind === 'group'
    ? `(${join(item)})`
    : [item.path, OPERATOR_LABELS[item.operator], item.value].filter((part) => part !== '').join(' ');

/** A filter in the words of the builder: `data.status_id became 3`; null if it uses what the builder does not have. */
export function describeFilter(filter: Filter): string | null {
  const group = toGroup(filter);
  return group === null ? null : join(group);
}
