import { ExactNumber } from '../ground/exact-number';
import { isJsonObject } from '../ground/parse-body';
import { RelayError, type FieldError } from '../ground/relay-error';
import { isOperator, OPERATORS, type ConditionMatcher, type Operator } from './filter-operators';
import { parsePath, someAt } from './filter-paths';

/** Whether a filter accepts a parsed notification. */
export type ContentMatcher = (content: unknown) => boolean;

const MAX_LEVELS = 8;
/** A condition is an operator with its operand; a plain value is a condition with `$eq`. */
const MAX_CONDITIONS = 50;
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
 * @throws RelayError `filter_invalid`, 422, with the path of every error
 */
export function compileFilter(filter: Record<string, unknown>): ContentMatcher {
  const compiler = new FilterCompiler();
  const matcher = compiler.compileFilter(filter, ['filter'], 1);
  if (compiler.conditions > MAX_CONDITIONS)
    compiler.reject(['filter'], `a filter can have at most ${MAX_CONDITIONS} conditions`);
  // Only if there is no error so far: serializing is recursive, and the filter could be nested too deep.
  if (compiler.errors.length === 0 && JSON.stringify(filter).length > MAX_CHARACTERS)
    compiler.reject(['filter'], `a filter can have at most ${MAX_CHARACTERS} characters`);
  if (compiler.errors.length === 0) return matcher;
  throw new RelayError('filter_invalid', 422, 'The filter is invalid.', {
    remedy: `Map each path to a value or to operators (${Object.keys(OPERATORS).join(' ')}). $and and $or take lists of filters, $not takes a filter.`,
    errors: compiler.errors.slice(0, MAX_ERRORS),
  });
}

/**
 * Compiles a filter recursively and collects its errors; an invalid part gets a matcher that is never used. It stops
 * once a limit is exceeded, so that its cost is bounded.
 */
class FilterCompiler {
  readonly errors: FieldError[] = [];
  conditions = 0;

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
    return (content) => parts.every((matches) => matches(content));
  }

  private compileEntry(key: string, value: unknown, path: string[], level: number): ContentMatcher {
    if (key === '$and' || key === '$or') return this.compileLogical(key, value, path, level);
    if (key === '$not') {
      const inner = this.compileFilter(value, path, level + 1);
      return (content) => !inner(content);
    }
    if (key.startsWith('$'))
      return this.reject(
        path,
        isOperator(key)
          ? 'an operator must be below a path'
          : 'unknown operator; the name of a field is written with a backslash before its $',
      );
    const steps = parsePath(key);
    if (typeof steps === 'string') return this.reject(path, steps);
    const matches = this.compileConditions(value, path, level);
    return (content) => matches((test) => someAt(content, steps, test));
  }

  private compileLogical(key: '$and' | '$or', value: unknown, path: string[], level: number): ContentMatcher {
    if (!Array.isArray(value) || value.length === 0)
      return this.reject(path, 'must be a list of at least one filter');
    const parts = this.compileEach(value, (filter, i) =>
      this.compileFilter(filter, [...path, String(i)], level + 1),
    );
    return key === '$and'
      ? (content) => parts.every((matches) => matches(content))
      : (content) => parts.some((matches) => matches(content));
  }

  private compileConditions(value: unknown, path: string[], level: number): ConditionMatcher {
    if (!isJsonObject(value)) return this.compileCondition('$eq', value, path);
    if (level > MAX_LEVELS) {
      this.reject(path, `a filter can be nested at most ${MAX_LEVELS} levels deep`);
      return matchesNothing;
    }
    const entries = Object.entries(value);
    if (entries.length === 0) this.reject(path, 'must have at least one operator');
    const parts = this.compileEach(entries, ([key, operand]) =>
      this.compileOperator(key, operand, [...path, key], level),
    );
    return (someValue) => parts.every((matches) => matches(someValue));
  }

  private compileOperator(key: string, operand: unknown, path: string[], level: number): ConditionMatcher {
    if (key === '$not') {
      const inner = this.compileConditions(operand, path, level + 1);
      return (someValue) => !inner(someValue);
    }
    if (isOperator(key)) return this.compileCondition(key, operand, path);
    this.reject(path, describeKey(key));
    return matchesNothing;
  }

  private compileCondition(operator: Operator, operand: unknown, path: string[]): ConditionMatcher {
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

const matchesNothing: ConditionMatcher = () => false;
