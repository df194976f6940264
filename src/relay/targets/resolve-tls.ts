import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import type { FieldError } from '../ground/relay-error';
import type { TlsInput } from '../../contract/target';
import type { TlsSettings } from './target-record';

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * The new TLS settings of a target. Without a key, the current one is kept.
 * @param errors receives an error for each invalid field, which never contains key material
 */
export function resolveTls(wanted: TlsInput, before: TlsSettings | null, errors: FieldError[]): TlsSettings {
  const { ca, cert, verify } = wanted;
  const key = wanted.key !== undefined ? wanted.key : cert === null ? null : (before?.key ?? null);
  if (ca !== null) certificatesIn(ca, 'tls.ca', errors);
  const [own] = cert === null ? [] : certificatesIn(cert, 'tls.cert', errors);
  const privateKey = key === null ? null : keyIn(key, errors);
  if (cert !== null && key === null)
    errors.push({ path: 'tls.key', message: 'a certificate needs its private key' });
  if (cert === null && key !== null)
    errors.push({ path: 'tls.cert', message: 'a private key needs its certificate' });
  if (own !== undefined && privateKey !== null && !own.checkPrivateKey(privateKey))
    errors.push({ path: 'tls.key', message: 'the private key does not belong to the certificate' });
  return { ca, cert, key, verify };
}

function certificatesIn(pem: string, path: string, errors: FieldError[]): X509Certificate[] {
  try {
    const found = (pem.match(CERTIFICATES) ?? []).map((one) => new X509Certificate(one));
    if (found.length > 0) return found;
  } catch {
    // The message of OpenSSL is not helpful.
  }
  errors.push({ path, message: 'contains no readable certificate' });
  return [];
}

function keyIn(pem: string, errors: FieldError[]): KeyObject | null {
  try {
    return createPrivateKey(pem);
  } catch {
    errors.push({ path: 'tls.key', message: 'not a readable private key without a passphrase' });
    return null;
  }
}
