import { mayRound } from '../../contract/parse-long-numbers';
import { ExactNumber } from '../ground/exact-number';
import { parseExactJson } from '../ground/parse-body';
import { TransformFailed } from './transform-failed';

/**
 * Parses a payload for an expression, which has only the numbers of JavaScript, without members named `__proto__`.
 * @param name of what is parsed, in a failure
 * @throws TransformFailed `payload_not_json`, `number_too_large`
 */
export function readPayload(text: string, name?: string): unknown {
  try {
    if (mayRound(text)) rejectLargeNumbers(parseExactJson(text), name === undefined ? [] : [name]);
    return /__proto__|\\u/.test(text) ? JSON.parse(text, withoutProto) : JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new TransformFailed('payload_not_json', 'The body is not JSON.');
  }
}

const withoutProto = (name: string, value: unknown) => (name === '__proto__' ? undefined : value);

function rejectLargeNumbers(value: unknown, path: string[]): void {
  if (value instanceof ExactNumber) {
    if (Math.abs(Number(String(value))) <= Number.MAX_SAFE_INTEGER) return;
    throw new TransformFailed('number_too_large', `${path.join('.')} is beyond 2^53 and would be rounded.`);
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) rejectLargeNumbers(member, [...path, name]);
}
