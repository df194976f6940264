import type { FilterWord } from '../../contract/path-limits';
import { compareNumbers, ExactNumber, exactNumberIn } from '../ground/exact-number';
import { someElement } from './some-element';

/** Whether any value at a path passes a test. */
export type SomeValueTest = (test: (value: unknown) => boolean) => boolean;

/** Whether a condition matches the values at a path: none, one, or several if the path traverses arrays. */
export type ConditionMatcher = (someValue: SomeValueTest) => boolean;

const MAX_STRING_LENGTH = 1_000;
const MAX_LIST_LENGTH = 200;

/** Each operator compiles its operand to a condition, or returns what is wrong with the operand. */
export const OPERATORS = {
  $eq: (operand: unknown) => oneOf([operand]),
  $ne: (operand: unknown) => negate(oneOf([operand])),
  $in: (operand: unknown) => oneOf(operand),
  $nin: (operand: unknown) => negate(oneOf(operand)),
  $gt: (operand: unknown) => compares(operand, (a, b) => a > b),
  $gte: (operand: unknown) => compares(operand, (a, b) => a >= b),
  $lt: (operand: unknown) => compares(operand, (a, b) => a < b),
  $lte: (operand: unknown) => compares(operand, (a, b) => a <= b),
  $exists: (operand: unknown) =>
    typeof operand === 'boolean'
      ? (someValue: SomeValueTest) => someValue(() => true) === operand
      : 'must be true or false',
  $startsWith: (operand: unknown) => testsString(operand, (text, part) => text.startsWith(part)),
  $contains: (operand: unknown) => testsString(operand, (text, part) => text.includes(part)),
} satisfies Partial<Record<FilterWord, (operand: unknown) => ConditionMatcher | string>>;

export type Operator = keyof typeof OPERATORS;

export const isOperator = (key: string): key is Operator => Object.hasOwn(OPERATORS, key);

/** They look at the state before, too; `compile-filter.ts` evaluates them. */
export const CHANGE_OPERATORS = ['$changed', '$was', '$became'] as const;

export type ChangeOperator = (typeof CHANGE_OPERATORS)[number];

export const isChangeOperator = (key: string): key is ChangeOperator =>
  (CHANGE_OPERATORS as readonly string[]).includes(key);

function oneOf(operands: unknown): ConditionMatcher | string {
  if (!Array.isArray(operands) || operands.length === 0) return 'must be a list of at least one value';
  if (operands.length > MAX_LIST_LENGTH) return `a list can have at most ${MAX_LIST_LENGTH} values`;
  const error = operands.map(describeError).find((found) => found !== null);
  if (error !== undefined) return error;
  const wanted = new Set<unknown>(operands);
  const numbers = operands.map(numberIn).filter((number) => number !== null);
  return matchesAnyElement((value) =>
    value instanceof ExactNumber
      ? numbers.some((number) => compareNumbers(value, number) === 0)
      : wanted.has(value),
  );
}

function compares(
  operand: unknown,
  compare: (a: number | string, b: number | string) => boolean,
): ConditionMatcher | string {
  if (typeof operand !== 'number' && typeof operand !== 'string') return 'must be a number or a string';
  const error = describeError(operand);
  if (error !== null) return error;
  const number = numberIn(operand);
  return matchesAnyElement((value) => {
    if (typeof value === typeof operand) return compare(value as number | string, operand);
    const isNumber = typeof value === 'number' || value instanceof ExactNumber;
    return isNumber && number !== null && compare(compareNumbers(value, number), 0);
  });
}

function testsString(
  operand: unknown,
  matches: (text: string, part: string) => boolean,
): ConditionMatcher | string {
  if (typeof operand !== 'string' || operand === '') return 'must be a non-empty string';
  const error = describeError(operand);
  if (error !== null) return error;
  return matchesAnyElement((value) => typeof value === 'string' && matches(value, operand));
}

const negate = (matches: ConditionMatcher | string): ConditionMatcher | string =>
  typeof matches === 'string' ? matches : (someValue) => !matches(someValue);

/** Tests the values at a path; of an array there, its elements, and those of arrays in it. */
function matchesAnyElement(matches: (value: unknown) => boolean): ConditionMatcher {
  return (someValue) =>
    someValue((value) => (Array.isArray(value) ? someElement(value, matches) : matches(value)));
}

/** The number that an operand stands for: itself, or one that JavaScript would round, in a string of its digits. */
function numberIn(operand: unknown): number | ExactNumber | null {
  if (typeof operand === 'number') return operand;
  return typeof operand === 'string' ? exactNumberIn(operand) : null;
}

/** What is wrong with a value to compare with, or null. */
function describeError(value: unknown): string | null {
  if (value !== null && !['string', 'number', 'boolean'].includes(typeof value))
    return 'must be a string, a number, true, false or null';
  if (typeof value === 'string' && value.length > MAX_STRING_LENGTH)
    return `a string can have at most ${MAX_STRING_LENGTH} characters`;
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER)
    return 'a number beyond 2^53 - 1 was rounded; write its digits as a string';
  return null;
}
