import { isDeepStrictEqual } from 'node:util';
import type { ProbeCause } from '../../../contract/probe';
import type { ProbeAnswer } from './send-probe';

/** A request as it was sent, or as it came in. Header names in lower case. */
export interface ProbeRequest {
  headers: Record<string, string>;
  body: Buffer;
}

interface Findings {
  sent: ProbeRequest;
  /** What came in here; null where nothing did. */
  arrived: { headers: Readonly<Record<string, unknown>>; body: Buffer } | null;
  answer: ProbeAnswer;
  /** What we answer; nobody else knows it. */
  expected: string;
}

/** What is wrong with the way from outside to here; null where nothing is. */
export function judgeProbe({ sent, arrived, answer, expected }: Findings): ProbeCause | null {
  if (arrived !== null) {
    if (!arrived.body.equals(sent.body)) return 'body_altered';
    const kept = Object.keys(sent.headers).map((name) => [name, arrived.headers[name]]);
    if (!isDeepStrictEqual(Object.fromEntries(kept), sent.headers)) return 'header_altered';
    const ours = !('failed' in answer) && answer.status === 200 && answer.body === expected;
    return ours ? null : 'answer_altered';
  }
  if ('failed' in answer) return causeOfCode(answer.failed);
  const { status, contentType, body } = answer;
  if (status >= 300 && status < 400) return 'redirect';
  if (status >= 502 && status <= 504) return 'proxy';
  if (body.includes('"unknown_key"')) return 'other_instance';
  if (/^text\/html\b/i.test(contentType) || /^\s*<(!doctype|html)/i.test(body)) return 'page';
  return 'other_program';
}

const CAUSES: Readonly<Record<string, ProbeCause>> = {
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

/** By the code of Node, OpenSSL or undici, never by a text. */
function causeOfCode(code: string): ProbeCause {
  if (code.startsWith('ERR_TLS_') || code.startsWith('ERR_SSL_')) return CAUSES[code] ?? 'tls';
  return CAUSES[code] ?? 'reset';
}
