import { isDeepStrictEqual } from 'node:util';
import type { ProbeCause } from '../../../contract/probe';
import type { ProbeResponse } from './send-probe';

/** A request as sent, or as received. Header names in lower case. */
export interface ProbeRequest {
  headers: Record<string, string>;
  body: Buffer;
}

interface ProbeResult {
  sent: ProbeRequest;
  /** What was received here; null if nothing was. */
  received: { headers: Readonly<Record<string, unknown>>; body: Buffer } | null;
  response: ProbeResponse;
  /** Our response body; nobody else knows it. */
  expected: string;
}

/** What is wrong with the route from outside; null if nothing is. */
export function classifyProbe({ sent, received, response, expected }: ProbeResult): ProbeCause | null {
  if (received !== null) {
    if (!received.body.equals(sent.body)) return 'body_altered';
    const passed = Object.keys(sent.headers).map((name) => [name, received.headers[name]]);
    if (!isDeepStrictEqual(Object.fromEntries(passed), sent.headers)) return 'header_altered';
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

const CAUSE_BY_CODE: Readonly<Record<string, ProbeCause>> = {
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

/** By the error code of Node, OpenSSL or undici, never by message. */
function causeOfCode(code: string): ProbeCause {
  if (code.startsWith('ERR_TLS_') || code.startsWith('ERR_SSL_')) return CAUSE_BY_CODE[code] ?? 'tls';
  return CAUSE_BY_CODE[code] ?? 'reset';
}
