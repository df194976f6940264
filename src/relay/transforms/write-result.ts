import { isJsonType } from './is-json-type';
import { TransformFailed } from './transform-failed';

const MAX_BYTES = 1024 * 1024;

/**
 * The body that is made of the result of an expression: JSON, or the text itself if it is one and the content type is not JSON.
 * @throws TransformFailed `no_result`, `result_not_json`, `result_too_large`
 */
export function writeResult(result: unknown, contentType: string): string {
  if (result === undefined) throw new TransformFailed('no_result', 'The expression has no result.');
  measure(result);
  const body = typeof result === 'string' && !isJsonType(contentType) ? result : JSON.stringify(result);
  if (Buffer.byteLength(body) > MAX_BYTES) throw tooLarge();
  return body;
}

/** Checks each value before any is written: a text that was joined of others takes its memory only then. */
function measure(result: unknown): void {
  let size = 0;
  const open = [result];
  while (open.length > 0) {
    const value = open.pop();
    size += typeof value === 'string' ? value.length : 2;
    if (size > MAX_BYTES) throw tooLarge();
    if (typeof value === 'number' && !Number.isFinite(value)) throw notJson('a number that is not finite');
    if (isFunction(value)) throw notJson('a function');
    if (typeof value !== 'object' || value === null) continue;
    if (Object.hasOwn(value, '__proto__')) throw notJson('a member named __proto__');
    for (const member of Object.values(value)) open.push(member);
  }
}

const isFunction = (value: unknown) =>
  typeof value === 'function' ||
  (typeof value === 'object' &&
    value !== null &&
    ('_jsonata_lambda' in value || '_jsonata_function' in value));

const notJson = (what: string) => new TransformFailed('result_not_json', `The result contains ${what}.`);

const tooLarge = () => new TransformFailed('result_too_large', 'The result is larger than 1 MiB.');
