import type { Json } from './json';
import { parseJson } from './parse-json';
import { valueAt } from './value-at';

/** What the bytes of an event turn out to be. */
export type Payload =
  | { kind: 'json'; text: string; json: Json }
  | { kind: 'text'; text: string }
  | { kind: 'bytes'; preview: string };

const HEX_BYTES = 512;
const HEX_LINE = 16;

/** Reads the bytes as JSON, as text, or shows that they are neither. */
export function readPayload(bytes: Uint8Array): Payload {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { kind: 'bytes', preview: toHex(bytes.subarray(0, HEX_BYTES)) };
  }
  const json = parseJson(text);
  return json === null ? { kind: 'text', text } : { kind: 'json', text, json };
}

function toHex(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += HEX_LINE) {
    const line = [...bytes.subarray(at, at + HEX_LINE)].map((byte) => byte.toString(16).padStart(2, '0'));
    lines.push(`${at.toString(16).padStart(6, '0')}  ${line.join(' ')}`);
  }
  return lines.join('\n');
}

const SELF_PATHS = [
  ['data', '_links', 'self'],
  ['data', '_links', 'self', 'href'],
  ['_links', 'self'],
  ['_links', 'self', 'href'],
];

/** The address of the thing itself at Co-Pilot (`data._links.self`), if the payload names one that can be opened. */
export function selfLinkOf(payload: Payload | undefined): string | null {
  if (payload?.kind !== 'json') return null;
  for (const path of SELF_PATHS) {
    const found = valueAt(payload.json, path);
    if (found?.kind === 'string') return isWebAddress(found.value) ? found.value : null;
  }
  return null;
}

/** Whoever signs the payload chooses this text; only web addresses may become a link. */
const isWebAddress = (text: string): boolean =>
  URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
