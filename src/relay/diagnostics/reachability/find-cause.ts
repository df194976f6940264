import { isDeepStrictEqual } from 'node:util';
import type { ReachabilityCause } from '../../../contract/reachability';
import type { CheckResponse } from './send-check-request';

export interface CheckTraffic {
  /** The request of a check, with lowercase header names. */
  sent: { headers: Record<string, string>; body: Buffer };
  /** What was received here; null if nothing was. */
  received: { headers: Readonly<Record<string, unknown>>; body: Buffer } | null;
  response: CheckResponse;
  /** The response body that only this daemon knows. */
  expected: string;
}

/** What is wrong between `PUBLIC_URL` and this daemon; null if nothing is. */
export function findCause({ sent, received, response, expected }: CheckTraffic): ReachabilityCause | null {
  if (received !== null) {
    if (!received.body.equals(sent.body)) return 'body_altered';
    const headersReceived = Object.keys(sent.headers).map((name) => [name, received.headers[name]]);
    if (!isDeepStrictEqual(Object.fromEntries(headersReceived), sent.headers)) return 'header_altered';
    const isOurs = !('failed' in response) && response.status === 200 && response.body === expected;
    return isOurs ? null : 'answer_altered';
  }
  if ('failed' in response) return causeOfCode(response.failed);
  const { status, contentType, body } = response;
  if (status >= 300 && status < 400) return 'redirect';
  if (status >= 502 && status <= 504) return 'proxy';
  if (body.includes('"unknown_key"')) return 'other_instance';
  if (/^text\/html\b/i.test(contentType) || /^\s*<(!doctype|html)/i.test(body)) return 'page';
  return 'other_program';
}

const CAUSE_BY_CODE: Readonly<Record<string, ReachabilityCause>> = {
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  CERT_HAS_EXPIRED: 'tls_expired',
  CERT_NOT_YET_VALID: 'tls_expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls_untrusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls_untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls_untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'tls_untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls_untrusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls_wrong_name',
  EPROTO: 'tls',
};

/** Classifies a failed request by the error code of Node, OpenSSL or undici; messages may change. */
function causeOfCode(code: string): ReachabilityCause {
  if (code.startsWith('ERR_TLS_') || code.startsWith('ERR_SSL_')) return CAUSE_BY_CODE[code] ?? 'tls';
  return CAUSE_BY_CODE[code] ?? 'reset';
}
