import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import type { Problem } from '../../contract/problem';
import type { TlsGiven } from '../../contract/target';
import type { TlsSettings } from './target-record';

type Faults = NonNullable<Problem['errors']>;

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * The TLS settings that a target is to have from now on. Without a key the one that is there stays.
 * @param faults takes what is wrong, with its path; never a word of the key
 */
export function resolveTls(wanted: TlsGiven, before: TlsSettings | null, faults: Faults): TlsSettings {
  const { ca, cert, verify } = wanted;
  const key = wanted.key !== undefined ? wanted.key : cert === null ? null : (before?.key ?? null);
  if (ca !== null) certificatesIn(ca, 'tls.ca', faults);
  const [own] = cert === null ? [] : certificatesIn(cert, 'tls.cert', faults);
  const privateKey = key === null ? null : keyIn(key, faults);
  if (cert !== null && key === null)
    faults.push({ path: 'tls.key', message: 'a certificate wants its private key' });
  if (cert === null && key !== null)
    faults.push({ path: 'tls.cert', message: 'a private key wants its certificate' });
  if (own !== undefined && privateKey !== null && !own.checkPrivateKey(privateKey))
    faults.push({ path: 'tls.key', message: 'this is not the key of the certificate' });
  return { ca, cert, key, verify };
}

function certificatesIn(pem: string, path: string, faults: Faults): X509Certificate[] {
  try {
    const found = (pem.match(CERTIFICATES) ?? []).map((one) => new X509Certificate(one));
    if (found.length > 0) return found;
  } catch {
    // What OpenSSL says of it helps nobody.
  }
  faults.push({ path, message: 'there is no certificate in it that can be read' });
  return [];
}

function keyIn(pem: string, faults: Faults): KeyObject | null {
  try {
    return createPrivateKey(pem);
  } catch {
    faults.push({ path: 'tls.key', message: 'not a private key that can be read without a passphrase' });
    return null;
  }
}
