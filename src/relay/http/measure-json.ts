/** The nesting depth of a JSON text, and the number of its values and names. */
export interface JsonMeasure {
  depth: number;
  values: number;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Measures a JSON text before it is parsed, because very deep or wide values are expensive to process. One pass over
 * the bytes, without recursion or allocation. The result for invalid JSON is arbitrary; the parser rejects it.
 */
export function measureJson(text: Uint8Array): JsonMeasure {
  let [depth, deepest, values] = [0, 0, 1];
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at];
    if (byte === QUOTE) at = endOfString(text, at);
    else if (byte === COMMA || byte === COLON) values += 1;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      depth += 1;
      values += 1;
      if (depth > deepest) deepest = depth;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1;
  }
  return { depth: deepest, values };
}

/** The index of the quote that closes the string opened at `start`, or the end of the bytes. */
export function endOfString(text: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return at;
}
