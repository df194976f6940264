import { createPrivateKey, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

/** A certificate and its private key, in PEM. */
export interface CertificatePair {
  cert: string;
  key: string;
}

interface CertificateOptions {
  /** The common name. */
  name: string;
  /** The signer; self-signed by default. */
  issuer?: CertificatePair & { name: string };
  /** Ms since 1970. */
  notBefore?: number;
  notAfter?: number;
  /** Subject alternative names, by default `127.0.0.1` and `localhost`. */
  hosts?: { dns: string[]; ip: string[] };
  /** Whether it may sign others. */
  authority?: boolean;
}

const DAY_MS = 86_400_000;

/**
 * Creates an X.509 certificate (RFC 5280) with Node only: no tool has to be installed, and no certificate in the
 * repository can expire.
 */
export function makeCertificate({
  name,
  issuer,
  notBefore = Date.now() - DAY_MS,
  notAfter = Date.now() + DAY_MS,
  hosts = { dns: ['localhost'], ip: ['127.0.0.1'] },
  authority = false,
}: CertificateOptions): CertificatePair {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signer: KeyObject = issuer === undefined ? privateKey : createPrivateKey(issuer.key);
  const names = [
    ...hosts.dns.map((host) => der(0x82, Buffer.from(host))),
    ...hosts.ip.map((ip) => der(0x87, Buffer.from(ip.split('.').map(Number)))),
  ];
  const extensions = [
    ...(authority ? [sequence(oid(2, 5, 29, 19), TRUE, der(0x04, sequence(TRUE)))] : []),
    ...(names.length > 0 ? [sequence(oid(2, 5, 29, 17), der(0x04, sequence(...names)))] : []),
  ];
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([0x01]), randomBytes(8)])),
    ECDSA_WITH_SHA256,
    commonName(issuer?.name ?? name),
    sequence(utcTime(notBefore), utcTime(notAfter)),
    commonName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', body, signer)]);
  const whole = sequence(body, ECDSA_WITH_SHA256, der(0x03, signature));
  const lines = whole.toString('base64').replaceAll(/.{64}/g, '$&\n').trim();
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** Tag, length and content (X.690). */
function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

const sequence = (...parts: Buffer[]) => der(0x30, Buffer.concat(parts));

const TRUE = der(0x01, Buffer.from([0xff]));

/** All arcs used here are below 2^14. */
function oid(first: number, second: number, ...rest: number[]): Buffer {
  const coded = rest.flatMap((part) => {
    const low = part & 0x7f;
    return part < 0x80 ? [low] : [0x80 | (part >> 7), low];
  });
  return der(0x06, Buffer.from([first * 40 + second, ...coded]));
}

const ECDSA_WITH_SHA256 = sequence(oid(1, 2, 840, 10_045, 4, 3, 2));

const commonName = (name: string) =>
  sequence(der(0x31, sequence(oid(2, 5, 4, 3), der(0x0c, Buffer.from(name)))));

function utcTime(at: number): Buffer {
  const digits = new Date(at).toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  return der(0x17, Buffer.from(digits.slice(2)));
}
