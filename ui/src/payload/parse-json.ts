import type { Json } from './json';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const SPACE = 0x20;
const BRACKETS = { openArray: 0x5b, closeArray: 0x5d, openObject: 0x7b, closeObject: 0x7d };

/** A container that is being parsed. */
type Open =
  | { members: Map<string, Json>; name: string | null; items: null }
  | { members: null; name: null; items: Json[] };

/** Parses JSON of any depth; null if it is not valid. The last of duplicate names wins. */
export function parseJson(text: string): Json | null {
  try {
    // Validates the text, so that the code below can assume valid JSON.
    JSON.parse(text);
  } catch {
    return null;
  }
  const open: Open[] = [];
  let at = 0;
  for (;;) {
    at = skipSeparators(text, at);
    const container = open.at(-1);
    const code = text.charCodeAt(at);
    let value: Json;
    if (code === QUOTE) {
      const end = endOfString(text, at);
      const string = stringAt(text, at, end);
      at = end;
      if (container?.members && container.name === null) {
        container.name = string;
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
    } else if (isClosingBracket(code)) {
      const { members, items } = open.pop()!;
      value = members === null ? { kind: 'array', items } : { kind: 'object', members };
      at += 1;
    } else {
      const end = endOfScalar(text, at);
      value = scalarOf(text.slice(at, end));
      at = end;
    }
    const parent = open.at(-1);
    if (parent === undefined) return value;
    if (parent.members === null) parent.items.push(value);
    else {
      parent.members.set(parent.name!, value);
      parent.name = null;
    }
  }
}

/** White space in JSON is a space or one of the control characters below it (RFC 8259, 2). */
const isSeparator = (code: number): boolean => code <= SPACE || code === COMMA || code === COLON;

const isClosingBracket = (code: number): boolean =>
  code === BRACKETS.closeArray || code === BRACKETS.closeObject;

function skipSeparators(text: string, from: number): number {
  let at = from;
  while (isSeparator(text.charCodeAt(at))) at += 1;
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
  while (at < text.length && !isSeparator(text.charCodeAt(at)) && !isClosingBracket(text.charCodeAt(at)))
    at += 1;
  return at;
}

function scalarOf(text: string): Json {
  if (text === 'true' || text === 'false' || text === 'null') return { kind: 'word', text };
  return { kind: 'number', text };
}
