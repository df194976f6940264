import type { SecureContextOptions } from 'node:tls';
import type { TlsSettings } from '../../targets/target-record';

/** The options of Node's TLS for the settings of a target; none of them is undefined. */
export function tlsOptions(
  tls: TlsSettings | null,
): Pick<SecureContextOptions, 'ca' | 'cert' | 'key'> & { rejectUnauthorized?: boolean } {
  if (tls === null) return {};
  const { ca, cert, key, verify } = tls;
  return {
    rejectUnauthorized: verify,
    ...(ca !== null && { ca }),
    ...(cert !== null && { cert }),
    ...(key !== null && { key }),
  };
}
