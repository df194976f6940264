import type { Filter } from '../../contract/filter';
import { isJsonObject, writeJson } from '../ground/parse-body';
import { compileFilter, type Previous } from './compile-filter';
import { isChangeOperator, isOperator, type ChangeOperator, type Operator } from './filter-operators';
import { parsePath, someAt } from './filter-paths';
import { maskFilter } from './masked-filter';
import type { PayloadMask } from './payload-mask';

/** Longer values and lists are shortened. */
const MAX_VALUE_LENGTH = 80;
const MAX_VALUES = 3;

/** What a filter is applied to, and how it is shown. */
interface Explained {
  content: unknown;
  mask: PayloadMask | null;
  previous: Previous;
  /** The event that told the state before; null if there is none. */
  previousId: string | null;
}

/**
 * The first condition of a filter that a payload does not meet, as a sentence without a full stop: the path, what is
 * required there, and what the payload has. Null if the payload matches, or if that is not known.
 * @param filter already validated
 */
export function explainMismatch(
  filter: Filter,
  content: unknown,
  { mask = null, previous = null, previousId = null }: Partial<Omit<Explained, 'content'>> = {},
): string | null {
  return explainFirst(filter, { content, mask, previous, previousId });
}

function explainFirst(filter: Filter, explained: Explained): string | null {
  for (const [key, value] of Object.entries(filter)) {
    if (isFalse({ [key]: value }, explained)) return explainEntry(key, value, explained);
  }
  return null;
}

const isFalse = (filter: Filter, { content, previous }: Explained) =>
  compileFilter(filter)(content, previous) === false;

function explainEntry(key: string, value: unknown, explained: Explained): string | null {
  const { mask } = explained;
  if (key === '$and') return firstOf(value as Filter[], explained);
  if (key === '$or') {
    const alternatives = value as Filter[];
    const first = firstOf(alternatives, explained);
    return alternatives.length === 1
      ? first
      : `none of ${alternatives.length} alternatives matches: ${first}`;
  }
  if (key === '$not') {
    const excluded = mask === null ? value : maskFilter(value as Filter, mask);
    return `the payload matches what the filter excludes, ${abbreviate(excluded)}`;
  }
  if (mask?.covers(key) === true) return `${key}, whose value is masked, does not meet its condition`;
  const [operator, operand] = failedOperator(key, value, explained);
  return isChangeOperator(operator)
    ? `${key} must ${CHANGE_REQUIREMENTS[operator](operand)}, but ${describeChange(key, operator, operand, explained)}`
    : `${key} must ${isOperator(operator) ? REQUIREMENTS[operator](operand) : `not match ${abbreviate(operand)}`}, but ${describeFound(key, explained.content)}`;
}

/** The reason of the first filter that does not match. */
const firstOf = (filters: readonly Filter[], explained: Explained): string | null =>
  filters.map((filter) => explainFirst(filter, explained)).find((reason) => reason !== null) ?? null;

function failedOperator(path: string, condition: unknown, explained: Explained): [string, unknown] {
  if (!isJsonObject(condition)) return ['$eq', condition];
  const failed = Object.entries(condition).find(([operator, operand]) =>
    isFalse({ [path]: { [operator]: operand } }, explained),
  );
  return failed ?? ['$eq', condition];
}

const CHANGE_REQUIREMENTS: Record<ChangeOperator, (operand: unknown) => string> = {
  $changed: (operand) => (operand === true ? 'change' : 'not change'),
  $was: (operand) => `have been ${abbreviate(operand)}`,
  $became: (operand) => `become ${abbreviate(operand)}`,
};

function describeChange(
  path: string,
  operator: ChangeOperator,
  operand: unknown,
  { content, previous, previousId }: Explained,
): string {
  const holdsNow = operator === '$became' && compileFilter({ [path]: operand })(content) === true;
  if (operator === '$became' && !holdsNow) return describeFound(path, content);
  const before = describeFound(path, previous?.()).slice('it is '.length);
  const where = previousId === null ? 'before' : `in ${previousId}`;
  return holdsNow ? `it already was ${before} ${where}` : `it was ${before} ${where}`;
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
