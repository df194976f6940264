const TOLERANCE_S = 300;
/** 32 or 64 bytes in base64. */
const SIGNATURE = /^(?:[A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{86}==)$/;

/** Headers as a `Request` of fetch, or a request of Node has them, with lowercase names. */
export type DeliveryHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Remembers ids, best in the transaction that processes the event: a delivery may arrive twice. */
export interface SeenIds {
  /** @returns whether the id is new */
  add(id: string): boolean | Promise<boolean>;
}

export interface VerifyOptions {
  seen?: SeenIds;
  /** How far the time of a delivery may be from now. By default 300. */
  toleranceSeconds?: number;
}

export interface VerifiedDelivery {
  /** The event: the same on every retry and replay. */
  id: string;
  /** When this attempt was made, in seconds since 1970. */
  timestamp: number;
  /** Whether `seen` had its id already; false without `seen`. */
  isRepeated: boolean;
  /** The parsed body; undefined if it is not JSON. Its `event` is the type, which the headers name without a signature. */
  payload: unknown;
}

/** Why a request is not a genuine delivery. Answer 401, and process nothing. */
export class WebhookRejected extends Error {
  override readonly name = 'WebhookRejected';
  constructor(readonly code: 'header_missing' | 'timestamp_out_of_range' | 'signature_mismatch') {
    super(`The request is no delivery of the hub: ${code.replaceAll('_', ' ')}.`);
  }
}

/**
 * Verifies a delivery by Standard Webhooks, and its age.
 * @param rawBody the bytes as they arrived: JSON that was parsed and written again has another signature
 * @param secrets of the target, one of which has to fit: `whsec_…`, or its public key `whpk_…` for `v1a`
 * @throws WebhookRejected
 */
export async function verify(
  headers: DeliveryHeaders,
  rawBody: Uint8Array | string,
  secrets: string | readonly string[],
  { seen, toleranceSeconds = TOLERANCE_S }: VerifyOptions = {},
): Promise<VerifiedDelivery> {
  const header = (name: string): string =>
    String((headers instanceof Headers ? headers.get(name) : headers[name]) ?? '');
  const id = header('webhook-id');
  const timestamp = header('webhook-timestamp');
  const signatures = header('webhook-signature');
  if (id === '' || signatures === '' || !/^\d+$/.test(timestamp)) throw new WebhookRejected('header_missing');
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookRejected('timestamp_out_of_range');
  const body = typeof rawBody === 'string' ? new TextEncoder().encode(rawBody) : rawBody;
  const start = new TextEncoder().encode(`${id}.${timestamp}.`);
  const content = new Uint8Array(start.length + body.length);
  content.set(start);
  content.set(body, start.length);
  if (!(await fitsAny([secrets].flat(), signatures.split(' '), content)))
    throw new WebhookRejected('signature_mismatch');
  const isRepeated = seen !== undefined && !(await seen.add(id));
  return { id, timestamp: Number(timestamp), isRepeated, payload: parsed(body) };
}

async function fitsAny(
  secrets: readonly string[],
  signatures: readonly string[],
  content: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  for (const secret of secrets) {
    const isPublic = secret.startsWith('whpk_');
    const algorithm = isPublic ? { name: 'Ed25519' } : { name: 'HMAC', hash: 'SHA-256' };
    const bytes = bytesOf(secret.replace(/^wh(?:sec|pk)_/, ''));
    const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
    for (const signature of signatures) {
      const [version, value = ''] = signature.split(',');
      if (version !== (isPublic ? 'v1a' : 'v1') || !SIGNATURE.test(value)) continue;
      if (await crypto.subtle.verify(algorithm.name, key, bytesOf(value), content)) return true;
    }
  }
  return false;
}

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}
