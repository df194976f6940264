import type { Filter } from '../../contract/filter';
import { isJsonObject, writeJson } from '../ground/parse-body';
import { compileFilter } from './compile-filter';
import { isOperator, type Operator } from './filter-operators';
import { parsePath, someAt } from './filter-paths';
import { maskFilter } from './masked-filter';
import type { PayloadMask } from './payload-mask';

/** Longer values and lists are shortened. */
const MAX_VALUE_LENGTH = 80;
const MAX_VALUES = 3;

/**
 * The first condition of a filter that a payload does not meet, as a sentence without a full stop: the path, what is
 * required there, and what the payload has. Null if the payload matches.
 * @param filter already validated
 */
export function explainMismatch(
  filter: Filter,
  content: unknown,
  mask: PayloadMask | null = null,
): string | null {
  for (const [key, value] of Object.entries(filter)) {
    if (!compileFilter({ [key]: value })(content)) return explainEntry(key, value, content, mask);
  }
  return null;
}

function explainEntry(
  key: string,
  value: unknown,
  content: unknown,
  mask: PayloadMask | null,
): string | null {
  if (key === '$and') return firstOf(value as Filter[], content, mask);
  if (key === '$or') {
    const alternatives = value as Filter[];
    const first = firstOf(alternatives, content, mask);
    return alternatives.length === 1
      ? first
      : `none of ${alternatives.length} alternatives matches: ${first}`;
  }
  if (key === '$not') {
    const excluded = mask === null ? value : maskFilter(value as Filter, mask);
    return `the payload matches what the filter excludes, ${abbreviate(excluded)}`;
  }
  if (mask?.covers(key) === true) return `${key}, whose value is masked, does not meet its condition`;
  return `${key} must ${describeFailedOperator(key, value, content)}, but ${describeFound(key, content)}`;
}

/** The reason of the first filter that does not match. */
const firstOf = (filters: readonly Filter[], content: unknown, mask: PayloadMask | null): string | null =>
  filters.map((filter) => explainMismatch(filter, content, mask)).find((reason) => reason !== null) ?? null;

function describeFailedOperator(path: string, condition: unknown, content: unknown): string {
  if (!isJsonObject(condition)) return REQUIREMENTS.$eq(condition);
  const failed = Object.entries(condition).find(
    ([operator, operand]) => !compileFilter({ [path]: { [operator]: operand } })(content),
  );
  const [operator, operand] = failed ?? ['$eq', condition];
  return isOperator(operator) ? REQUIREMENTS[operator](operand) : `not match ${abbreviate(operand)}`;
}

/** What each operator requires of a value, after "must". */
const REQUIREMENTS: Record<Operator, (operand: unknown) => string> = {
  $eq: (operand) => `be ${abbreviate(operand)}`,
  $ne: (operand) => `not be ${abbreviate(operand)}`,
  $in: (operand) => `be one of ${abbreviate(operand)}`,
  $nin: (operand) => `be none of ${abbreviate(operand)}`,
  $gt: (operand) => `be greater than ${abbreviate(operand)}`,
  $gte: (operand) => `be at least ${abbreviate(operand)}`,
  $lt: (operand) => `be less than ${abbreviate(operand)}`,
  $lte: (operand) => `be at most ${abbreviate(operand)}`,
  $exists: (operand) => (operand === true ? 'exist' : 'be absent'),
  $startsWith: (operand) => `start with ${abbreviate(operand)}`,
  $contains: (operand) => `contain ${abbreviate(operand)}`,
};

function describeFound(path: string, content: unknown): string {
  const found: unknown[] = [];
  someAt(content, parsePath(path) as string[], (value) => {
    found.push(value);
    return found.length > MAX_VALUES;
  });
  if (found.length === 0) return 'it is missing';
  const shown = found.slice(0, MAX_VALUES).map(abbreviate).join(', ');
  return `it is ${shown}${found.length > MAX_VALUES ? ', …' : ''}`;
}

function abbreviate(value: unknown): string {
  const text = writeJson(value);
  return text.length <= MAX_VALUE_LENGTH ? text : `${text.slice(0, MAX_VALUE_LENGTH)}…`;
}
