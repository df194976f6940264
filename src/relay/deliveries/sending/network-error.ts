import type { AttemptError } from '../../../contract/delivery';
import { PROXY_FAILED } from '../../network/open-tunnel';
import { describeMachineFault } from '../../ground/machine-faults';
import { ADDRESS_DENIED, OWN_INTAKE } from '../../targets/address-rules';

const NAMES: Readonly<Record<string, AttemptError>> = {
  [ADDRESS_DENIED]: 'address_denied',
  [OWN_INTAKE]: 'own_intake',
  [PROXY_FAILED]: 'proxy_failed',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  UND_ERR_SOCKET: 'connection_reset',
  ENOTFOUND: 'name_not_found',
  EAI_AGAIN: 'name_lookup_failed',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'answer_too_large',
  EHOSTUNREACH: 'unreachable',
  EHOSTDOWN: 'unreachable',
  ENETUNREACH: 'unreachable',
  EAFNOSUPPORT: 'unreachable',
  ERR_SSL_WRONG_VERSION_NUMBER: 'tls_not_spoken',
  ERR_SSL_HTTP_REQUEST: 'tls_not_spoken',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'tls_not_spoken',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate_unknown',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate_unknown',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate_unknown',
  UNABLE_TO_GET_ISSUER_CERT: 'certificate_unknown',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate_unknown',
  CERT_UNTRUSTED: 'certificate_unknown',
  CERT_REVOKED: 'certificate_unknown',
  CERT_HAS_EXPIRED: 'certificate_expired',
  CERT_NOT_YET_VALID: 'certificate_expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_name',
};

export interface NetworkFailure {
  error: AttemptError;
  /** The error code, if the name does not tell all. */
  code: string | null;
}

const isOwn = ({ error }: NetworkFailure) => error === 'local_failure' || error === 'unreachable';

/** What a network failure was, derived from its error code: error messages are not stable. */
export function describeNetworkError(failure: unknown): NetworkFailure {
  const { code = '', errors = [] } = failure as { code?: string; errors?: unknown[] };
  // An AggregateError: the connections to all addresses failed, some perhaps because this machine has no IPv6.
  if (errors.length > 0) {
    const all = errors.map(describeNetworkError);
    return all.find((one) => !isOwn(one)) ?? all[0]!;
  }
  const named = NAMES[code];
  if (named !== undefined) return { error: named, code: named === 'unreachable' ? code : null };
  if (describeMachineFault(code) !== null) return { error: 'local_failure', code };
  const isTls = code === 'EPROTO' || /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|UNABLE_TO_|INVALID_)/.test(code);
  return { error: isTls ? 'tls' : 'network', code: code || (failure as Error).name };
}
