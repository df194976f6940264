import type { AttemptError } from '../../../contract/delivery';
import { PROXY_FAILED } from '../../network/open-tunnel';
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
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate_unknown',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate_unknown',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate_unknown',
  UNABLE_TO_GET_ISSUER_CERT: 'certificate_unknown',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate_unknown',
  CERT_UNTRUSTED: 'certificate_unknown',
  CERT_HAS_EXPIRED: 'certificate_expired',
  CERT_NOT_YET_VALID: 'certificate_expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_name',
};

/** The name of a network failure, derived from its error code: error messages are not stable. */
export function nameNetworkError(error: unknown): AttemptError {
  const { code = '', errors = [] } = error as { code?: string; errors?: unknown[] };
  // An AggregateError: the connections to all addresses of the host failed.
  if (code === '' && errors.length > 0) return nameNetworkError(errors[0]);
  const name = NAMES[code];
  if (name !== undefined) return name;
  return code.startsWith('ERR_TLS_') || code.startsWith('ERR_SSL_') ? 'tls' : 'network';
}
