import { ExactNumber } from '../ground/exact-number';
import { isJsonObject } from '../ground/parse-body';
import { RelayError, type FieldError } from '../ground/relay-error';
import {
  CHANGE_OPERATORS,
  isChangeOperator,
  isOperator,
  OPERATORS,
  type ChangeOperator,
  type Operator,
  type SomeValueTest,
} from './filter-operators';
import { parsePath, someAt } from './filter-paths';
import { sameValues } from './same-values';
import { every, not, some, type Verdict } from './verdict';

/** Reads the parsed payload that told the state before, undefined if there was none; null if that is not known. */
export type Previous = (() => unknown) | null;

/** Whether a filter accepts a parsed notification. Without operators for changes, it is never null. */
export type ContentMatcher = (content: unknown, previous?: Previous) => Verdict;

/** Whether a condition matches the values at its path, now and before. */
type PathMatcher = (now: SomeValueTest, before: SomeValueTest | null) => Verdict;

/** Where a condition stands: under a path in `data`, under another one, or in an operator for changes. */
type Place = 'record' | 'elsewhere' | 'change';

const MAX_LEVELS = 8;
/** A condition is an operator with its operand; a plain value is a condition with `$eq`. */
const MAX_CONDITIONS = 50;
/** Of those, the operators for changes. */
const MAX_CHANGES = 10;
const MAX_CHARACTERS = 16_384;
const MAX_ERRORS = 20;
/** Names in the path of an error are truncated: the caller could send very long ones. */
const MAX_NAME_LENGTH = 200;

/**
 * Compiles a filter; the schema describes its form. Its semantics:
 * - An array matches if any of its elements does; for `$ne` and `$nin`, the negations of `$eq` and `$in`,
 *   none of them may match.
 * - A missing field equals nothing, not even null; `$ne`, `$nin` and `$not` match it.
 * - Numbers are compared with numbers, and strings with strings by UTF-16 units; nothing is converted.
 * - Numbers are compared by all their digits. One that JavaScript would round is stored as a string of its digits,
 *   which is compared with numbers too.
 * - `$changed`, `$was` and `$became` compare with the state before. If that is not known, neither is whether they match,
 *   unless that does not matter.
 * @throws RelayError `filter_invalid`, 422, with the path of every error
 */
export function compileFilter(filter: Record<string, unknown>): ContentMatcher {
  const compiler = new FilterCompiler();
  const matcher = compiler.compileFilter(filter, ['filter'], 1);
  if (compiler.conditions > MAX_CONDITIONS)
    compiler.reject(['filter'], `a filter can have at most ${MAX_CONDITIONS} conditions`);
  if (compiler.changes > MAX_CHANGES)
    compiler.reject(['filter'], `a filter can have at most ${MAX_CHANGES} of ${CHANGE_OPERATORS.join(' ')}`);
  // Only if there is no error so far: serializing is recursive, and the filter could be nested too deep.
  if (compiler.errors.length === 0 && JSON.stringify(filter).length > MAX_CHARACTERS)
    compiler.reject(['filter'], `a filter can have at most ${MAX_CHARACTERS} characters`);
  if (compiler.errors.length === 0) return matcher;
  throw new RelayError('filter_invalid', 422, 'The filter is invalid.', {
    remedy: `Map each path to a value or to operators (${[...Object.keys(OPERATORS), ...CHANGE_OPERATORS].join(' ')}). $and and $or take lists of filters, $not takes a filter.`,
    errors: compiler.errors.slice(0, MAX_ERRORS),
  });
}

/** Whether a valid filter looks at the state before an event. */
export const looksAtChanges = (filter: Record<string, unknown>): boolean =>
  CHANGE_KEY.test(JSON.stringify(filter));

/** In a text, the quotes would be escaped. */
const CHANGE_KEY = new RegExp(`"(${CHANGE_OPERATORS.join('|').replaceAll('$', '\\$')})":`);

/**
 * Compiles a filter recursively and collects its errors; an invalid part gets a matcher that is never used. It stops
 * once a limit is exceeded, so that its cost is bounded.
 */
class FilterCompiler {
  readonly errors: FieldError[] = [];
  conditions = 0;
  changes = 0;

  reject(path: string[], message: string): ContentMatcher {
    this.errors.push({ path: path.map((name) => name.slice(0, MAX_NAME_LENGTH)).join('.'), message });
    return () => false;
  }

  compileFilter(filter: unknown, path: string[], level: number): ContentMatcher {
    if (!isJsonObject(filter))
      return this.reject(path, 'a filter must be an object that maps paths to conditions');
    if (level > MAX_LEVELS)
      return this.reject(path, `a filter can be nested at most ${MAX_LEVELS} levels deep`);
    const entries = Object.entries(filter);
    if (entries.length === 0) return this.reject(path, 'a filter must have at least one condition');
    const parts = this.compileEach(entries, ([key, value]) =>
      this.compileEntry(key, value, [...path, key], level),
    );
    return (content, previous) => every(parts, (matches) => matches(content, previous));
  }

  private compileEntry(key: string, value: unknown, path: string[], level: number): ContentMatcher {
    if (key === '$and' || key === '$or') return this.compileLogical(key, value, path, level);
    if (key === '$not') {
      const inner = this.compileFilter(value, path, level + 1);
      return (content, previous) => not(inner(content, previous));
    }
    if (key.startsWith('$'))
      return this.reject(
        path,
        isOperator(key) || isChangeOperator(key)
          ? 'an operator must be below a path'
          : 'unknown operator; the name of a field is written with a backslash before its $',
      );
    const steps = parsePath(key);
    if (typeof steps === 'string') return this.reject(path, steps);
    const place = steps[0] === 'data' && steps.length > 1 ? 'record' : 'elsewhere';
    const matches = this.compileConditions(value, path, level, place);
    return (content, previous = null) =>
      matches(
        (test) => someAt(content, steps, test),
        previous && ((test) => someAt(previous(), steps, test)),
      );
  }

  private compileLogical(key: '$and' | '$or', value: unknown, path: string[], level: number): ContentMatcher {
    if (!Array.isArray(value) || value.length === 0)
      return this.reject(path, 'must be a list of at least one filter');
    const parts = this.compileEach(value, (filter, i) =>
      this.compileFilter(filter, [...path, String(i)], level + 1),
    );
    return key === '$and'
      ? (content, previous) => every(parts, (matches) => matches(content, previous))
      : (content, previous) => some(parts, (matches) => matches(content, previous));
  }

  private compileConditions(value: unknown, path: string[], level: number, place: Place): PathMatcher {
    if (!isJsonObject(value)) return this.compileCondition('$eq', value, path);
    if (level > MAX_LEVELS) {
      this.reject(path, `a filter can be nested at most ${MAX_LEVELS} levels deep`);
      return matchesNothing;
    }
    const entries = Object.entries(value);
    if (entries.length === 0) this.reject(path, 'must have at least one operator');
    const parts = this.compileEach(entries, ([key, operand]) =>
      this.compileOperator(key, operand, [...path, key], level, place),
    );
    return (now, before) => every(parts, (matches) => matches(now, before));
  }

  private compileOperator(
    key: string,
    operand: unknown,
    path: string[],
    level: number,
    place: Place,
  ): PathMatcher {
    if (key === '$not') {
      const inner = this.compileConditions(operand, path, level + 1, place);
      return (now, before) => not(inner(now, before));
    }
    if (isChangeOperator(key)) return this.compileChange(key, operand, path, level, place);
    if (isOperator(key)) return this.compileCondition(key, operand, path);
    this.reject(path, describeKey(key));
    return matchesNothing;
  }

  private compileChange(
    key: ChangeOperator,
    operand: unknown,
    path: string[],
    level: number,
    place: Place,
  ): PathMatcher {
    this.changes += 1;
    if (place !== 'record') {
      this.reject(
        path,
        place === 'change'
          ? `cannot be part of another of ${CHANGE_OPERATORS.join(' ')}`
          : 'must be below a path that begins with data, such as data.status_id: only the record before is known',
      );
      return matchesNothing;
    }
    if (key === '$changed') {
      this.conditions += 1;
      if (typeof operand !== 'boolean') this.reject(path, 'must be true or false');
      return (now, before) => before && sameValues(valuesOf(now), valuesOf(before)) !== operand;
    }
    const holds = this.compileConditions(operand, path, level, 'change');
    if (key === '$was') return (_, before) => before && holds(before, null);
    return (now, before) => (holds(now, null) === false ? false : before && not(holds(before, null)));
  }

  private compileCondition(operator: Operator, operand: unknown, path: string[]): PathMatcher {
    this.conditions += 1;
    const matches = OPERATORS[operator](
      Array.isArray(operand) ? operand.map(withoutExact) : withoutExact(operand),
    );
    if (typeof matches !== 'string') return matches;
    this.reject(path, matches);
    return matchesNothing;
  }

  private compileEach<Item, Part>(
    items: readonly Item[],
    compile: (item: Item, index: number) => Part,
  ): Part[] {
    const parts: Part[] = [];
    for (const [index, item] of items.entries()) {
      if (this.conditions > MAX_CONDITIONS || this.errors.length > MAX_ERRORS) break;
      parts.push(compile(item, index));
    }
    return parts;
  }
}

/** Why a key below a path is not allowed there. */
function describeKey(key: string): string {
  if (key === '$and' || key === '$or') return `${key} cannot be below a path`;
  return key.startsWith('$')
    ? 'unknown operator'
    : 'write nested fields as a path with dots, such as data.amount';
}

/** A filter is stored as JSON, which has an exact number as a string. */
const withoutExact = (operand: unknown) => (operand instanceof ExactNumber ? operand.toJSON() : operand);

const matchesNothing: PathMatcher = () => false;

function valuesOf(someValue: SomeValueTest): unknown[] {
  const values: unknown[] = [];
  someValue((value) => {
    values.push(value);
    return false;
  });
  return values;
}
