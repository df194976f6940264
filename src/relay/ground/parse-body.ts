import { randomUUID } from 'node:crypto';
import { mayRound, parseLongNumbers } from '../../contract/parse-long-numbers';
import { ExactNumber } from './exact-number';

const MAX_LEVELS = 100;

/** No text of a notification begins with it, whatever its sender intends. */
const MARK = `${randomUUID()} `;

/** Parses JSON, with an {@link ExactNumber} for each number that would be rounded. @throws SyntaxError */
export function parseExactJson(text: string): unknown {
  if (!mayRound(text)) return JSON.parse(text);
  const root = { value: parseLongNumbers(text, MARK) };
  const open: Record<string, unknown>[] = [root];
  for (let parent = open.pop(); parent !== undefined; parent = open.pop()) {
    for (const [name, value] of Object.entries(parent)) {
      if (typeof value === 'string') {
        if (value.startsWith(MARK)) parent[name] = new ExactNumber(value.slice(MARK.length));
      } else if (typeof value === 'object' && value !== null) open.push(value as Record<string, unknown>);
    }
  }
  return root.value;
}

/** A body without the byte order mark that it may begin with (RFC 8259, 8.1). */
export const withoutMark = (body: Uint8Array): Uint8Array =>
  body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;

/** The text of a body in UTF-8, without a byte order mark. */
export function bodyText(body: Uint8Array): string {
  const { buffer, byteOffset, byteLength } = withoutMark(body);
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
}

/** The JSON of a body, with exact numbers. @throws SyntaxError */
export const parseBody = (body: Uint8Array): unknown => parseExactJson(bodyText(body));

/** JSON that `writeJson` writes as it is. */
export class RawJson {
  constructor(private readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

/** Writes parsed JSON with the digits of its exact numbers, and without what is nested too deep to be shown. */
export function writeJson(value: unknown, level = 0): string {
  if (value instanceof ExactNumber || value instanceof RawJson) return String(value);
  if (level > MAX_LEVELS) return '"…"';
  if (Array.isArray(value)) return `[${value.map((element) => writeJson(element, level + 1)).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${writeJson(member, level + 1)}`,
  );
  return `{${members.join()}}`;
}

/** Whether a value of parsed JSON is an object. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
