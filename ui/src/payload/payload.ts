import { isContainer, type Json, type Step } from './json';
import { parseJson } from './parse-json';

/** The body of an event, decoded as far as possible. */
export type Payload =
  | { kind: 'json'; text: string; json: Json }
  | { kind: 'text'; text: string }
  | { kind: 'bytes'; preview: string };

const HEX_BYTES = 512;
const HEX_LINE = 16;

/** Decodes bytes as JSON or text; otherwise returns a hex preview. */
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

/** The web address of the entity at Co-Pilot (`data._links.self`), if the payload has one. */
export function selfLinkOf(payload: Payload | undefined): string | null {
  if (payload?.kind !== 'json') return null;
  for (const path of SELF_PATHS) {
    const found = valueAt(payload.json, path);
    if (found?.kind === 'string') return isWebAddress(found.value) ? found.value : null;
  }
  return null;
}

/** The sender controls this text, so only web addresses become links. */
const isWebAddress = (text: string): boolean =>
  URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);

/** The value at a path, if there is one. */
function valueAt(json: Json, path: readonly Step[]): Json | undefined {
  let found: Json | undefined = json;
  for (const step of path) {
    if (found === undefined || !isContainer(found)) return undefined;
    found = found.kind === 'object' ? found.members.get(String(step)) : found.items[Number(step)];
  }
  return found;
}
