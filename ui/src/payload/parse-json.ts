import type { Json } from './json';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const SPACE = 0x20;
const BRACKETS = { openArray: 0x5b, closeArray: 0x5d, openObject: 0x7b, closeObject: 0x7d };

/** Where a container gathers what is read into it. */
type Open =
  | { members: Map<string, Json>; name: string | null; items: null }
  | { members: null; name: null; items: Json[] };

/** Reads JSON text, however deep it is nested; null where it is none. Of a name given twice the later value counts. */
export function parseJson(text: string): Json | null {
  try {
    // The browser's own reader says whether it is JSON, so that what follows need not doubt it.
    JSON.parse(text);
  } catch {
    return null;
  }
  const open: Open[] = [];
  let at = 0;
  for (;;) {
    at = skip(text, at);
    const inside = open.at(-1);
    const code = text.charCodeAt(at);
    let value: Json;
    if (code === QUOTE) {
      const end = endOfString(text, at);
      const string = stringAt(text, at, end);
      at = end;
      if (inside?.members && inside.name === null) {
        inside.name = string;
        continue;
      }
      value = { kind: 'string', value: string };
    } else if (code === BRACKETS.openObject || code === BRACKETS.openArray) {
      open.push(
        code === BRACKETS.openObject
          ? { members: new Map(), name: null, items: null }
          : { members: null, name: null, items: [] },
      );
      at += 1;
      continue;
    } else if (closes(code)) {
      const { members, items } = open.pop()!;
      value = members === null ? { kind: 'array', items } : { kind: 'object', members };
      at += 1;
    } else {
      const end = endOfScalar(text, at);
      value = scalarOf(text.slice(at, end));
      at = end;
    }
    const around = open.at(-1);
    if (around === undefined) return value;
    if (around.members === null) around.items.push(value);
    else {
      around.members.set(around.name!, value);
      around.name = null;
    }
  }
}

/** White space in JSON is a space or one of the control characters below it (RFC 8259, 2). */
const isBetween = (code: number): boolean => code <= SPACE || code === COMMA || code === COLON;

const closes = (code: number): boolean => code === BRACKETS.closeArray || code === BRACKETS.closeObject;

function skip(text: string, from: number): number {
  let at = from;
  while (isBetween(text.charCodeAt(at))) at += 1;
  return at;
}

function endOfString(text: string, from: number): number {
  for (let at = from + 1; ;) {
    const quote = text.indexOf('"', at);
    let escapes = 0;
    while (text.charCodeAt(quote - 1 - escapes) === BACKSLASH) escapes += 1;
    at = quote + 1;
    if (escapes % 2 === 0) return at;
  }
}

function stringAt(text: string, from: number, end: number): string {
  const plain = text.slice(from + 1, end - 1);
  if (!plain.includes('\\')) return plain;
  const read: string = JSON.parse(text.slice(from, end));
  return read;
}

function endOfScalar(text: string, from: number): number {
  let at = from;
  while (at < text.length && !isBetween(text.charCodeAt(at)) && !closes(text.charCodeAt(at))) at += 1;
  return at;
}

function scalarOf(text: string): Json {
  if (text === 'true' || text === 'false' || text === 'null') return { kind: 'word', text };
  return { kind: 'number', text };
}
