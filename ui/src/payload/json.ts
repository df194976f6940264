/**
 * A JSON value as it was written. JavaScript values would round long integers and move integer-like names to
 * the front.
 */
export type Json =
  | { kind: 'object'; members: ReadonlyMap<string, Json> }
  | { kind: 'array'; items: readonly Json[] }
  | { kind: 'string'; value: string }
  /** The original digits: `1.0` differs from `1`. */
  | { kind: 'number'; text: string }
  | { kind: 'word'; text: 'true' | 'false' | 'null' };

export type Container = Extract<Json, { kind: 'object' | 'array' }>;

/** One step of a path: a name in an object or an index in an array. */
export type Step = string | number;

export const isContainer = (json: Json): json is Container => json.kind === 'object' || json.kind === 'array';

/** The number of direct children. */
export const sizeOf = (container: Container): number =>
  container.kind === 'object' ? container.members.size : container.items.length;

/** A path as in filters and columns, `data.tags.0`. In a name, a dot and a backslash are escaped, and a `$` before it. */
export const pathText = (path: readonly Step[]): string =>
  path.map((step) => String(step).replaceAll(/[.\\]|^\$/g, '\\$&')).join('.');

/** Whether two values are equal, regardless of the order of object members. */
export function isSame(one: Json, other: Json): boolean {
  // Not recursive: payloads may be nested deeper than the call stack allows.
  const open: [Json, Json][] = [[one, other]];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [left, right] = pair;
    if (left.kind === 'object' && right.kind === 'object') {
      if (left.members.size !== right.members.size) return false;
      for (const [name, member] of left.members) {
        const counterpart = right.members.get(name);
        if (counterpart === undefined) return false;
        open.push([member, counterpart]);
      }
    } else if (left.kind === 'array' && right.kind === 'array') {
      if (left.items.length !== right.items.length) return false;
      for (const [index, item] of left.items.entries()) open.push([item, right.items[index]!]);
    } else if (left.kind !== right.kind || writeScalar(left) !== writeScalar(right)) return false;
  }
  return true;
}

/** Characters that are invisible or change the text direction; not the joiners within an emoji. */
const INVISIBLE =
  /[\u007f-\u009f\u00ad\u061c\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]|(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d|\u200d(?!\p{Extended_Pictographic})/gu;
const escapeCharacter = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Escapes invisible characters as in JSON. */
export const escapeInvisible = (text: string): string => text.replace(INVISIBLE, escapeCharacter);

function writeScalar(json: Json): string {
  if (json.kind === 'string') return JSON.stringify(json.value);
  return isContainer(json) ? '' : json.text;
}

/**
 * Serializes a value as JSON on one line. It stops after `limit` characters, so that previews of large values
 * are cheap; a truncated result is longer than the limit.
 */
export function writeJson(json: Json, limit = Infinity): string {
  let out = '';
  const open: (string | Json)[] = [json];
  for (let next = open.pop(); next !== undefined && out.length <= limit; next = open.pop()) {
    if (typeof next === 'string') out += next;
    else if (!isContainer(next)) out += writeScalar(next);
    else for (const part of partsOf(next, limit).toReversed()) open.push(part);
  }
  return out;
}

/** A preview of a value: at most `limit` characters of its JSON, invisible ones escaped. */
export function previewJson(json: Json, limit: number): string {
  const text = writeJson(json.kind === 'string' ? previewOf(json.value, limit) : json, limit);
  return escapeInvisible(text.length > limit ? `${truncate(text, limit)}…` : text);
}

/** Avoids serializing a whole megabyte string for a preview. */
const previewOf = (value: string, limit: number): Json => ({
  kind: 'string',
  value: truncate(value, limit + 1),
});

/** The first characters of a text, without splitting a surrogate pair. */
export const truncate = (text: string, length: number): string =>
  text.slice(0, length).replace(/[\ud800-\udbff]$/, '');

/** The parts of a serialized container, up to the limit; values are not serialized yet. */
function partsOf(container: Container, limit: number): (string | Json)[] {
  const parts: (string | Json)[] = [container.kind === 'object' ? '{' : '['];
  let count = 0;
  const entries =
    container.kind === 'object' ? container.members : container.items.map((item) => [null, item] as const);
  for (const [name, value] of entries) {
    if (count > limit) break;
    parts.push(`${count === 0 ? '' : ','}${name === null ? '' : `${JSON.stringify(name)}:`}`, value);
    count += 1;
  }
  parts.push(container.kind === 'object' ? '}' : ']');
  return parts;
}
