import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ActiveKey } from '../subscription/active-keys';

export interface Verified {
  /** The header with the matching value, lower case. */
  header: string;
  value: string;
}

export type Verification = Verified | 'no_signature' | 'signature_mismatch';

/** At most this many candidates of a request are checked, because an attacker controls the headers. */
const MAX_CANDIDATES = 16;

/** A run of exactly 64 hex digits anywhere in a value: bare, `sha256=…`, `t=…,v1=…`. */
const SIGNATURE = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/gi;
const BARE = /^[0-9a-f]{64}$/i;

/**
 * Searches the headers for the HMAC-SHA256 of the body (document, 5.6), since the document does not name the header.
 * The HMAC is the proof, whatever the header is called.
 * @param firstHeader the header that matched last time
 */
export function verifySignature(
  body: Uint8Array,
  secret: ActiveKey['secret'],
  headers: IncomingHttpHeaders,
  firstHeader: string | null,
): Verification {
  // As a string: a buffer digest costs an allocation outside the heap.
  return findSignature(createHmac('sha256', secret).update(body).digest('hex'), headers, firstHeader);
}

/** Like `verifySignature`, for a known HMAC. @param hmac lowercase hex */
export function findSignature(
  hmac: string,
  headers: IncomingHttpHeaders,
  firstHeader: string | null,
): Verification {
  const expected = Buffer.from(hmac);
  const matches = (candidate: string) => timingSafeEqual(Buffer.from(candidate.toLowerCase()), expected);

  if (firstHeader !== null) {
    const value = headers[firstHeader];
    if (typeof value === 'string' && BARE.test(value) && matches(value))
      return { header: firstHeader, value };
  }
  let checked = 0;
  for (const [header, value] of orderedHeaders(headers, firstHeader)) {
    for (const [candidate] of value.matchAll(SIGNATURE)) {
      if (checked === MAX_CANDIDATES) return 'signature_mismatch';
      checked += 1;
      if (matches(candidate)) return { header, value };
    }
  }
  return checked === 0 ? 'no_signature' : 'signature_mismatch';
}

function orderedHeaders(headers: IncomingHttpHeaders, firstHeader: string | null): [string, string][] {
  const all = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  );
  return firstHeader === null
    ? all
    : all.sort(([a], [b]) => Number(b === firstHeader) - Number(a === firstHeader));
}
