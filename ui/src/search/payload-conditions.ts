import type { Filter } from '@contract/filter';

/** One condition on a field of the payload: `data.price`, `$gte`, `10000`. */
export interface PayloadCondition {
  path: string;
  operator: string;
  value: unknown;
}

/** The operators that a condition can be written with, in the order of a menu. */
export const OPERATOR_LABELS: Readonly<Record<string, string>> = {
  $eq: 'is',
  $ne: 'is not',
  $gt: 'is more than',
  $gte: 'is at least',
  $lt: 'is less than',
  $lte: 'is at most',
  $contains: 'contains',
  $startsWith: 'starts with',
  $exists: 'exists',
};

/** The filter in a URL; null if it is not one. */
export function parsePayload(text: string): Filter | null {
  try {
    const filter: unknown = JSON.parse(text);
    return isObject(filter) ? filter : null;
  } catch {
    return null;
  }
}

/** The conditions of a filter; null if it is not a plain list of them, such as one with `$or`. */
export function conditionsOf(payload: string | undefined): PayloadCondition[] | null {
  const filter = payload === undefined ? {} : parsePayload(payload);
  if (filter === null) return null;
  const conditions = Object.entries(filter).flatMap(([path, value]) =>
    isObject(value)
      ? Object.entries(value).map(([operator, operand]) => ({ path, operator, value: operand }))
      : [{ path, operator: '$eq', value }],
  );
  const isPlain = conditions.every(
    ({ path, operator }) => !path.startsWith('$') && operator in OPERATOR_LABELS,
  );
  return isPlain ? conditions : null;
}

/** The filter with all conditions; a later one replaces an earlier one of the same field and operator. */
export function toPayload(conditions: readonly PayloadCondition[]): string | undefined {
  if (conditions.length === 0) return undefined;
  const filter: Record<string, Record<string, unknown>> = {};
  for (const { path, operator, value } of conditions) filter[path] = { ...filter[path], [operator]: value };
  return JSON.stringify(filter);
}

/** A value as people write it: a number, `true`, `false` and `null` as such, anything else, or in quotes, a text. */
export function parseValue(text: string): unknown {
  const trimmed = text.trim();
  if (/^(-?(0|[1-9]\d*)(\.\d+)?|true|false|null|".*")$/.test(trimmed)) {
    try {
      return JSON.parse(trimmed);
    } catch {
      return trimmed;
    }
  }
  return trimmed;
}

/** `data.price is at least 10000`. */
export function describeCondition({ path, operator, value }: PayloadCondition): string {
  if (operator === '$exists') return `${path} ${value === true ? 'exists' : 'is missing'}`;
  return `${path} ${OPERATOR_LABELS[operator]} ${typeof value === 'string' ? value : JSON.stringify(value)}`;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
