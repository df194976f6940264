/** What the bytes of an event turn out to be. */
export type Payload =
  | { kind: 'json'; text: string; value: object }
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
  try {
    const value: unknown = JSON.parse(text, keepLargeNumbers);
    if (typeof value === 'object' && value !== null) return { kind: 'json', text, value };
  } catch {
    // Not JSON: shown as it is.
  }
  return { kind: 'text', text };
}

/**
 * JSON may hold integers that JavaScript rounds; shown rounded, an id would be a lie. Where the browser tells the
 * digits as they were written, such a number is kept whole.
 */
function keepLargeNumbers(_: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value) || context?.source === undefined) return value;
  return /^-?\d+$/.test(context.source) ? BigInt(context.source) : value;
}

function toHex(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += HEX_LINE) {
    const line = [...bytes.subarray(at, at + HEX_LINE)].map((byte) => byte.toString(16).padStart(2, '0'));
    lines.push(`${at.toString(16).padStart(6, '0')}  ${line.join(' ')}`);
  }
  return lines.join('\n');
}

/** The address of the thing itself at Co-Pilot (`data._links.self`), if the payload names one that can be opened. */
export function selfLinkOf(payload: Payload | undefined): string | null {
  if (payload?.kind !== 'json') return null;
  const data = field(payload.value, 'data');
  const self = field(field(data, '_links'), 'self') ?? field(field(payload.value, '_links'), 'self');
  const address = typeof self === 'string' ? self : field(self, 'href');
  // Whoever signs the payload chooses this text; only web addresses may become a link.
  return typeof address === 'string' && /^https?:\/\//i.test(address) ? address : null;
}

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
