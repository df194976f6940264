/** Whether any of the values that a path leads to passes a test. */
type Any = (test: (value: unknown) => boolean) => boolean;

/** Whether a condition holds for what a path leads to: nothing, one value, or several where it goes through arrays. */
export type Holds = (any: Any) => boolean;

type Scalar = string | number | boolean | null;

const LONGEST_TEXT = 1_000;
const LONGEST_LIST = 200;

/** Each operator takes its operand and answers with the condition, or with what is wrong with the operand. */
export const OPERATORS = {
  $eq: (operand: unknown) => oneOf([operand]),
  $ne: (operand: unknown) => turned(oneOf([operand])),
  $in: (operand: unknown) => oneOf(operand),
  $nin: (operand: unknown) => turned(oneOf(operand)),
  $gt: (operand: unknown) => compared(operand, (a, b) => a > b),
  $gte: (operand: unknown) => compared(operand, (a, b) => a >= b),
  $lt: (operand: unknown) => compared(operand, (a, b) => a < b),
  $lte: (operand: unknown) => compared(operand, (a, b) => a <= b),
  $exists: (operand: unknown) =>
    typeof operand === 'boolean' ? (any: Any) => any(() => true) === operand : 'true or false is wanted',
  $startsWith: (operand: unknown) => inText(operand, (text, part) => text.startsWith(part)),
  $contains: (operand: unknown) => inText(operand, (text, part) => text.includes(part)),
} satisfies Record<string, (operand: unknown) => Holds | string>;

export type Operator = keyof typeof OPERATORS;

export const isOperator = (key: string): key is Operator => Object.hasOwn(OPERATORS, key);

function oneOf(operands: unknown): Holds | string {
  if (!Array.isArray(operands) || operands.length === 0) return 'a list of one value or more is wanted';
  if (operands.length > LONGEST_LIST) return `a list has at most ${LONGEST_LIST} values`;
  const fault = operands.map(faultOf).find((found) => found !== null);
  if (fault !== undefined) return fault;
  const wanted = new Set<unknown>(operands);
  return elements((value) => wanted.has(value));
}

function compared(
  operand: unknown,
  compare: (a: number | string, b: number | string) => boolean,
): Holds | string {
  if (typeof operand !== 'number' && typeof operand !== 'string') return 'a number or a text is wanted';
  const fault = faultOf(operand);
  if (fault !== null) return fault;
  const type = typeof operand;
  return elements((value) => typeof value === type && compare(value as number | string, operand));
}

function inText(operand: unknown, holds: (text: string, part: string) => boolean): Holds | string {
  if (typeof operand !== 'string' || operand === '') return 'a text is wanted';
  const fault = faultOf(operand);
  if (fault !== null) return fault;
  return elements((value) => typeof value === 'string' && holds(value, operand));
}

const turned = (holds: Holds | string): Holds | string =>
  typeof holds === 'string' ? holds : (any) => !holds(any);

/** An array at the end of a path stands for its elements. */
function elements(holds: (value: unknown) => boolean): Holds {
  return (any) => any((value) => (Array.isArray(value) ? value.some(holds) : holds(value)));
}

/** What is wrong with a value that others are compared with. */
function faultOf(value: unknown): string | null {
  if (!isScalar(value)) return 'a text, a number, true, false or null is wanted';
  if (typeof value === 'string' && value.length > LONGEST_TEXT)
    return `a text has at most ${LONGEST_TEXT} characters`;
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER)
    return 'a number beyond 2^53 - 1 cannot be compared exactly';
  return null;
}

function isScalar(value: unknown): value is Scalar {
  return (
    value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  );
}
