import { parseExact } from '../../../payload/parse-exact';
import { takesList, type BuilderOperator } from './builder-operators';

type Scalar = string | number | boolean | null;

const isScalar = (value: unknown): value is Scalar =>
  value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

const parseJson = (text: string): unknown => {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
};

/** A number, `true`, `false`, `null` or a quoted string as in JSON; anything else is a string as it stands. */
function parseScalar(text: string): Scalar {
  const value = parseJson(text);
  return isScalar(value) ? value : text;
}

/** The value that a text stands for, a list of them if the operator takes one; undefined if the text is empty. */
export function parseOperand(text: string, operator: BuilderOperator): Scalar | Scalar[] | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  if (!takesList(operator)) return parseScalar(trimmed);
  const list = parseJson(`[${trimmed}]`);
  if (Array.isArray(list) && list.every(isScalar)) return list;
  return trimmed
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(parseScalar);
}

/** The text of a value, so that `parseOperand` returns it; null if it is no value of the operator. */
export function formatOperand(operand: unknown, operator: BuilderOperator): string | null {
  if (!takesList(operator)) return isScalar(operand) ? formatScalar(operand, false) : null;
  if (!Array.isArray(operand) || operand.length === 0 || !operand.every(isScalar)) return null;
  const mustQuote = operand.some((value) => typeof value === 'string' && needsQuotes(value, true));
  return operand.map((value) => formatScalar(value, mustQuote)).join(', ');
}

const formatScalar = (value: Scalar, mustQuote: boolean): string =>
  typeof value !== 'string' || mustQuote || needsQuotes(value, false) ? JSON.stringify(value) : value;

const needsQuotes = (value: string, inList: boolean): boolean =>
  value.trim() !== value || value === '' || isOtherScalar(value) || (inList && /[,"[{]/.test(value));

/** Whether a text stands for another value than itself. The digits of a number that would be rounded do not. */
function isOtherScalar(text: string): boolean {
  const value = parseJson(text);
  return isScalar(value) && value !== text;
}
