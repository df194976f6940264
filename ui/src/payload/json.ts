/**
 * A JSON value as it was written. JavaScript's own values would not do: they round long integers, and move names that look
 * like numbers to the front.
 */
export type Json =
  | { kind: 'object'; members: ReadonlyMap<string, Json> }
  | { kind: 'array'; items: readonly Json[] }
  | { kind: 'string'; value: string }
  /** The digits as they came: `1.0` stays apart from `1`. */
  | { kind: 'number'; text: string }
  | { kind: 'word'; text: 'true' | 'false' | 'null' };

export type Container = Extract<Json, { kind: 'object' | 'array' }>;

/** The way from a value to the one that holds what is looked at: names in objects, places in arrays. */
export type Step = string | number;

export const isContainer = (json: Json): json is Container => json.kind === 'object' || json.kind === 'array';

/** How many values stand directly in it. */
export const sizeOf = (container: Container): number =>
  container.kind === 'object' ? container.members.size : container.items.length;

const PLAIN_NAME = /^[^\s."'[\]]+$/;

/** A path as the filters of targets write it, `data.tags.0`; a name that does not fit that form stands in brackets. */
export function pathText(path: readonly Step[]): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'string' && !PLAIN_NAME.test(step)) text += `[${JSON.stringify(step)}]`;
    else text += text === '' ? String(step) : `.${step}`;
  }
  return text;
}

/** Whether two values say the same; the order of an object's names does not count. */
export function isSame(one: Json, other: Json): boolean {
  // Payloads may be nested deeper than calls can be.
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
      for (const [place, item] of left.items.entries()) open.push([item, right.items[place]!]);
    } else if (left.kind !== right.kind || writeScalar(left) !== writeScalar(right)) return false;
  }
  return true;
}

/** Characters that would not show, or would turn the direction of what stands around them. */
const INVISIBLE = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
const escapeCharacter = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A text with what cannot be seen in it spelt out, as JSON could write it too. */
export const escapeInvisible = (text: string): string => text.replace(INVISIBLE, escapeCharacter);

function writeScalar(json: Json): string {
  if (json.kind === 'string') return JSON.stringify(json.value);
  return isContainer(json) ? '' : json.text;
}

/**
 * Writes a value as JSON on one line. Beyond `limit` characters it stops, so that a glance at a large value costs little;
 * what it has written by then is longer than the limit.
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

/** The beginning of a value in JSON, for a glance: at most `limit` characters of it, what cannot be seen spelt out. */
export function previewJson(json: Json, limit: number): string {
  const text = writeJson(json.kind === 'string' ? previewOf(json.value, limit) : json, limit);
  return escapeInvisible(text.length > limit ? `${truncate(text, limit)}…` : text);
}

/** So that a string of a megabyte is not written in whole for its first words. */
const previewOf = (value: string, limit: number): Json => ({
  kind: 'string',
  value: truncate(value, limit + 1),
});

/** The first characters of a text; none is cut in half. */
export const truncate = (text: string, length: number): string =>
  text.slice(0, length).replace(/[\ud800-\udbff]$/, '');

/** What a container is written as, its values yet to be; no more of it than a limit can show. */
function partsOf(container: Container, limit: number): (string | Json)[] {
  const parts: (string | Json)[] = [container.kind === 'object' ? '{' : '['];
  let place = 0;
  const entries =
    container.kind === 'object' ? container.members : container.items.map((item) => [null, item] as const);
  for (const [name, value] of entries) {
    if (place > limit) break;
    parts.push(`${place === 0 ? '' : ','}${name === null ? '' : `${JSON.stringify(name)}:`}`, value);
    place += 1;
  }
  parts.push(container.kind === 'object' ? '}' : ']');
  return parts;
}
