const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);

/**
 * The bytes of a member of the outermost object, as they were written: parsing would round numbers. As in `JSON.parse`,
 * the last of several members of one name counts. Null if there is none.
 * @param json valid JSON in UTF-8
 */
export function sliceMember(json: Uint8Array, name: string): Uint8Array | null {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  let found: Uint8Array | null = null;
  let depth = 0;
  let key: string | null = null;
  let text: [start: number, end: number] = [0, 0];
  let start = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      const end = endOfString(bytes, at);
      text = [at, end + 1];
      at = end;
    } else if (OPENING.has(byte)) depth += 1;
    else if (byte === COLON && depth === 1) {
      key = JSON.parse(bytes.toString('utf8', ...text)) as string;
      start = at + 1;
    } else if (CLOSING.has(byte) || (byte === COMMA && depth === 1)) {
      if (depth === 1 && key === name) found = trimmed(bytes.subarray(start, at));
      if (byte !== COMMA) depth -= 1;
      else key = null;
    }
  }
  return found;
}

/** The index of the closing quote. */
function endOfString(bytes: Buffer, start: number): number {
  for (let quote = bytes.indexOf(QUOTE, start + 1); ; quote = bytes.indexOf(QUOTE, quote + 1)) {
    let before = quote - 1;
    while (bytes[before] === BACKSLASH) before -= 1;
    if ((quote - before) % 2 === 1) return quote;
  }
}

const isSpace = (byte: number | undefined) =>
  byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;

function trimmed(bytes: Uint8Array): Uint8Array {
  let [start, end] = [0, bytes.length];
  while (isSpace(bytes[start])) start += 1;
  while (end > start && isSpace(bytes[end - 1])) end -= 1;
  return bytes.subarray(start, end);
}
