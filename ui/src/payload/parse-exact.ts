import type { Json } from './json';
import { parseJson } from './parse-json';

const KEPT_DIGITS = 15;

/**
 * Parses JSON as the API does: a number that JavaScript would round becomes a string of its digits.
 * @throws SyntaxError
 */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const json = parseJson(text);
  return json === null ? value : plainOf(json);
}

function plainOf(json: Json): unknown {
  if (json.kind === 'object')
    return Object.fromEntries([...json.members].map(([name, member]) => [name, plainOf(member)]));
  if (json.kind === 'array') return json.items.map(plainOf);
  if (json.kind === 'string') return json.value;
  return json.kind === 'number' && isRounded(json.text) ? json.text : JSON.parse(json.text);
}

function isRounded(text: string): boolean {
  const value = Number(text);
  const isLong = text.replaceAll(/e.*|\D/gi, '').length > KEPT_DIGITS;
  return Math.abs(value) > Number.MAX_SAFE_INTEGER || (isLong && String(value) !== text);
}
