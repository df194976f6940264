import type { Problem } from '../../contract/problem';
import { RelayError } from '../ground/relay-error';
import { isOperator, OPERATORS, type Holds, type Operator } from './filter-operators';
import { readPath, someAt } from './filter-paths';

/** Whether a notification, parsed, is among what a filter accepts. */
export type ContentMatcher = (content: unknown) => boolean;

type Fault = NonNullable<Problem['errors']>[number];

const MOST_LEVELS = 8;
const MOST_CONDITIONS = 50;
const MOST_CHARACTERS = 16_384;
const MOST_FAULTS = 20;
/** Of a name, in the path of a fault: it is the caller's, and may be as long as a request. */
const SHOWN_NAME = 200;

/**
 * Compiles a filter; its form is described at the schema. What it means beyond that:
 * - An array is met by any of its elements, and `$ne` and `$nin` by none of them: they are `$eq` and `$in` turned round.
 * - What is missing equals nothing, not even null; `$ne`, `$nin` and `$not` hold there.
 * - Numbers are compared with numbers and texts with texts, in the order of their UTF-16 units; nothing is converted.
 * - No number of a filter goes beyond 2^53 - 1, so integers are compared exactly, though larger ones of a notification
 *   are rounded when it is parsed.
 * @throws RelayError `filter_refused`, 422, every fault with its path
 */
export function compileFilter(filter: Record<string, unknown>): ContentMatcher {
  const compiling = new Compiling();
  const matcher = compiling.filter(filter, ['filter'], 1);
  if (compiling.conditions > MOST_CONDITIONS)
    compiling.refuse(['filter'], `a filter has at most ${MOST_CONDITIONS} conditions`);
  // Only of what is not too deep: writing it is recursive.
  if (compiling.faults.length === 0 && JSON.stringify(filter).length > MOST_CHARACTERS)
    compiling.refuse(['filter'], `a filter has at most ${MOST_CHARACTERS} characters`);
  if (compiling.faults.length === 0) return matcher;
  throw new RelayError('filter_refused', 422, 'The filter is not one that can be used.', {
    remedy: `Paths lead to values or to ${Object.keys(OPERATORS).join(' ')}; $and and $or take lists of filters, $not a filter.`,
    errors: compiling.faults.slice(0, MOST_FAULTS),
  });
}

/** The JSON of a filter that can be used. @throws RelayError as `compileFilter` does */
export function filterText(filter: Record<string, unknown>): string {
  compileFilter(filter);
  return JSON.stringify(filter);
}

/**
 * One walk through a filter. Faults are gathered, and what they stand in matches nothing: it is never used. The walk ends
 * where the filter is refused whatever follows, so that its cost does not grow with the filter.
 */
class Compiling {
  readonly faults: Fault[] = [];
  conditions = 0;

  refuse(path: string[], message: string): ContentMatcher {
    this.faults.push({ path: path.map((name) => name.slice(0, SHOWN_NAME)).join('.'), message });
    return () => false;
  }

  filter(filter: unknown, path: string[], level: number): ContentMatcher {
    if (!isObject(filter)) return this.refuse(path, 'a filter is an object of paths and conditions');
    if (level > MOST_LEVELS) return this.refuse(path, `a filter is at most ${MOST_LEVELS} levels deep`);
    const entries = Object.entries(filter);
    if (entries.length === 0) return this.refuse(path, 'an empty filter says nothing');
    const parts = this.each(entries, ([key, value]) => this.entry(key, value, [...path, key], level));
    return (content) => parts.every((holds) => holds(content));
  }

  private entry(key: string, value: unknown, path: string[], level: number): ContentMatcher {
    if (key === '$and' || key === '$or') return this.several(key, value, path, level);
    if (key === '$not') {
      const inner = this.filter(value, path, level + 1);
      return (content) => !inner(content);
    }
    if (key.startsWith('$')) return this.refuse(path, 'not an operator that stands here');
    const steps = readPath(key);
    if (typeof steps === 'string') return this.refuse(path, steps);
    const holds = this.condition(value, path, level);
    return (content) => holds((test) => someAt(content, steps, test));
  }

  private several(key: '$and' | '$or', value: unknown, path: string[], level: number): ContentMatcher {
    if (!Array.isArray(value) || value.length === 0)
      return this.refuse(path, 'a list of one filter or more is wanted');
    const parts = this.each(value, (one, i) => this.filter(one, [...path, String(i)], level + 1));
    return key === '$and'
      ? (content) => parts.every((holds) => holds(content))
      : (content) => parts.some((holds) => holds(content));
  }

  private condition(value: unknown, path: string[], level: number): Holds {
    if (!isObject(value)) return this.operator('$eq', value, path);
    if (level > MOST_LEVELS) {
      this.refuse(path, `a filter is at most ${MOST_LEVELS} levels deep`);
      return never;
    }
    const entries = Object.entries(value);
    if (entries.length === 0) this.refuse(path, 'an empty condition says nothing');
    const parts = this.each(entries, ([key, operand]) => this.operation(key, operand, [...path, key], level));
    return (any) => parts.every((holds) => holds(any));
  }

  private operation(key: string, operand: unknown, path: string[], level: number): Holds {
    if (key === '$not') {
      const inner = this.condition(operand, path, level + 1);
      return (any) => !inner(any);
    }
    if (isOperator(key)) return this.operator(key, operand, path);
    this.refuse(path, key.startsWith('$') ? 'not an operator' : 'write deeper values as a path with dots');
    return never;
  }

  private operator(operator: Operator, operand: unknown, path: string[]): Holds {
    this.conditions += 1;
    const holds = OPERATORS[operator](operand);
    if (typeof holds !== 'string') return holds;
    this.refuse(path, holds);
    return never;
  }

  private each<Item, Part>(items: readonly Item[], compile: (item: Item, index: number) => Part): Part[] {
    const parts: Part[] = [];
    for (const [index, item] of items.entries()) {
      if (this.conditions > MOST_CONDITIONS || this.faults.length > MOST_FAULTS) break;
      parts.push(compile(item, index));
    }
    return parts;
  }
}

const never: Holds = () => false;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
