import type { Filter } from '@contract/filter';
import { isBuilderOperator, takesValue, type BuilderOperator } from './builder-operators';
import { formatOperand, parseOperand } from './operand-text';

export interface ConditionDraft {
  kind: 'condition';
  path: string;
  operator: BuilderOperator;
  /** As typed; see `parseOperand`. */
  value: string;
}

export interface GroupDraft {
  kind: 'group';
  match: 'all' | 'any';
  items: readonly (ConditionDraft | GroupDraft)[];
}

export const newCondition = (): ConditionDraft => ({
  kind: 'condition',
  path: '',
  operator: '$eq',
  value: '',
});

/** The filter of a group; null if it has no complete condition. */
export function toFilter(group: GroupDraft): Filter | null {
  const parts = group.items.flatMap((item) => {
    const part = item.kind === 'group' ? toFilter(item) : toConditionFilter(item);
    return part === null ? [] : [part];
  });
  if (parts.length === 0) return null;
  if (parts.length === 1) return parts[0]!;
  if (group.match === 'any') return { $or: parts };
  const merged = Object.assign({}, ...parts) as Filter;
  const isDistinct = Object.keys(merged).length === parts.flatMap((part) => Object.keys(part)).length;
  return isDistinct ? merged : { $and: parts };
}

function toConditionFilter({ path, operator, value }: ConditionDraft): Filter | null {
  if (path.trim() === '') return null;
  const name = path.trim();
  if (operator === 'exists' || operator === 'missing') return { [name]: { $exists: operator === 'exists' } };
  if (operator === 'changed' || operator === 'unchanged')
    return { [name]: { $changed: operator === 'changed' } };
  const operand = parseOperand(value, operator);
  if (operand === undefined) return null;
  const [outer, inner] = operator.split(' ') as [string, string?];
  if (inner !== undefined) return { [name]: { [outer]: { [inner]: operand } } };
  return { [name]: operator === '$eq' ? operand : { [operator]: operand } };
}

/** A filter as the builder shows it; null if it uses what the builder does not have, such as `$not`. */
export function toGroup(filter: Filter): GroupDraft | null {
  const items = toItems(filter);
  if (items === null) return null;
  const [only] = items;
  return items.length === 1 && only?.kind === 'group' ? only : { kind: 'group', match: 'all', items };
}

function toItems(filter: Filter): GroupDraft['items'] | null {
  const items: (ConditionDraft | GroupDraft)[] = [];
  for (const [key, value] of Object.entries(filter)) {
    const found =
      key === '$and' || key === '$or'
        ? toGroupItems(key === '$and' ? 'all' : 'any', value)
        : key.startsWith('$')
          ? null
          : toConditions(key, value);
    if (found === null) return null;
    items.push(...found);
  }
  return items;
}

function toGroupItems(match: GroupDraft['match'], value: unknown): GroupDraft['items'] | null {
  if (!Array.isArray(value) || !value.every(isObject)) return null;
  const parts = value.map(toItems);
  if (parts.some((part) => part === null)) return null;
  const known = parts as GroupDraft['items'][];
  if (match === 'all') return known.flat();
  const items = known.map((part) =>
    part.length === 1 ? part[0]! : { kind: 'group' as const, match: 'all' as const, items: part },
  );
  return [{ kind: 'group', match, items }];
}

function toConditions(path: string, value: unknown): ConditionDraft[] | null {
  const operations: [string, unknown][] = isObject(value) ? Object.entries(value) : [['$eq', value]];
  const conditions = operations.map(([name, given]): ConditionDraft | null => {
    const [operator, operand] = withInner(name, given);
    if (operator === '$exists' && typeof operand === 'boolean')
      return { kind: 'condition', path, operator: operand ? 'exists' : 'missing', value: '' };
    if (operator === '$changed' && typeof operand === 'boolean')
      return { kind: 'condition', path, operator: operand ? 'changed' : 'unchanged', value: '' };
    if (!isBuilderOperator(operator) || !takesValue(operator)) return null;
    const text = formatOperand(operand, operator);
    return text === null ? null : { kind: 'condition', path, operator, value: text };
  });
  return conditions.some((condition) => condition === null) ? null : (conditions as ConditionDraft[]);
}

/** `$became` or `$was` with the only operator in its condition; `$eq` there is the same as without. */
function withInner(operator: string, operand: unknown): [string, unknown] {
  const [only, ...others] = isObject(operand) ? Object.entries(operand) : [];
  if (only === undefined || others.length > 0 || (operator !== '$became' && operator !== '$was'))
    return [operator, operand];
  return [only[0] === '$eq' ? operator : `${operator} ${only[0]}`, only[1]];
}

const isObject = (value: unknown): value is Filter =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
