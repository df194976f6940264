import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ActiveKey } from '../subscription/active-keys';

export interface Verified {
  /** The header whose value fits, lower case. */
  header: string;
  value: string;
}

export type Verification = Verified | 'no_signature' | 'signature_mismatch';

/** Headers are an attacker's to fill: so many candidates of a request are looked at, and no more. */
const CANDIDATES = 16;

/** A run of exactly 64 hex digits, wherever it stands: bare, `sha256=…`, `t=…,v1=…`. */
const SIGNATURE = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/gi;
const BARE = /^[0-9a-f]{64}$/i;

/**
 * Looks for the HMAC-SHA256 of the bytes (document, 5.6) among the headers, since the document does not name the one that
 * carries it. The HMAC is the proof, whatever the header is called.
 * @param first the header that fitted last time
 */
export function verifySignature(
  body: Uint8Array,
  secret: ActiveKey['secret'],
  headers: IncomingHttpHeaders,
  first: string | null,
): Verification {
  // As text: a digest taken as a buffer costs an allocation outside the heap.
  return findSignature(createHmac('sha256', secret).update(body).digest('hex'), headers, first);
}

/**
 * As `verifySignature`, where the HMAC is known.
 * @param hmac lowercase hex
 */
export function findSignature(
  hmac: string,
  headers: IncomingHttpHeaders,
  first: string | null,
): Verification {
  const expected = Buffer.from(hmac);
  const fits = (candidate: string) => timingSafeEqual(Buffer.from(candidate.toLowerCase()), expected);

  if (first !== null) {
    const value = headers[first];
    if (typeof value === 'string' && BARE.test(value) && fits(value)) return { header: first, value };
  }
  let looked = 0;
  for (const [header, value] of inOrder(headers, first)) {
    for (const [candidate] of value.matchAll(SIGNATURE)) {
      if (looked === CANDIDATES) return 'signature_mismatch';
      looked += 1;
      if (fits(candidate)) return { header, value };
    }
  }
  return looked === 0 ? 'no_signature' : 'signature_mismatch';
}

function inOrder(headers: IncomingHttpHeaders, first: string | null): [string, string][] {
  const all = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  );
  return first === null ? all : all.sort(([a], [b]) => Number(b === first) - Number(a === first));
}
