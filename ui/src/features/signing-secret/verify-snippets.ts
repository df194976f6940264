import type { Target } from '@contract/target';

/** A function that verifies deliveries, with the secret filled in. */
export interface VerifySnippet {
  name: string;
  code: string;
}

/** The signatures of a target beside that of Standard Webhooks. */
export type Signatures = Pick<Target, 'signature' | 'public_key'>;

/** The contents of an `.env` file with a signing secret. */
export const envFile = (secret: string): string => `WEBHOOK_SECRET=${secret}\n`;

/**
 * Each needs only the standard library.
 * @param secret as it was shown: letters, digits and `+/=_`
 */
export const verifySnippets = (
  secret: string,
  { signature, public_key: key }: Signatures,
): VerifySnippet[] => [
  { name: 'Node', code: node(secret) },
  { name: 'Python', code: python(secret) },
  { name: 'Go', code: go(secret) },
  ...(signature === null ? [] : [{ name: `Node, ${signature.header}`, code: inForm(secret, signature) }]),
  ...(key === null ? [] : [{ name: 'Node, Ed25519', code: ed25519(key) }]),
];

const node = (secret: string) => `import { createHmac, timingSafeEqual } from 'node:crypto';

const secret = '${secret}';

/** headers: with names in lower case, as Node has them; body: the bytes as received. */
export function verify(headers, body) {
  const id = headers['webhook-id'];
  const timestamp = Number(headers['webhook-timestamp']);
  if (!(Math.abs(Date.now() / 1000 - timestamp) <= 300)) return false;
  const expected = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    .update(\`\${id}.\${timestamp}.\`)
    .update(body)
    .digest();
  return headers['webhook-signature'].split(' ').some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
`;

const python = (secret: string) => `import base64
import hashlib
import hmac
import time

SECRET = "${secret}"


def verify(headers, body):
    """headers: by name, in lower case or case-insensitive; body: the bytes as received."""
    event_id, timestamp = headers["webhook-id"], headers["webhook-timestamp"]
    if abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(SECRET[len("whsec_") :])
    mac = hmac.new(key, f"{event_id}.{timestamp}.".encode() + body, hashlib.sha256)
    expected = "v1," + base64.b64encode(mac.digest()).decode()
    signatures = headers["webhook-signature"].split(" ")
    return any(hmac.compare_digest(signature, expected) for signature in signatures)
`;

const go = (secret: string) => `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const secret = "${secret}"

// verify reports whether the request is genuine; body holds its bytes as received.
func verify(header http.Header, body []byte) bool {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.", id, timestamp)
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, signature := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(signature), []byte(expected)) {
			return true
		}
	}
	return false
}
`;

/** The form with a time has one signature for each secret that is valid. */
function inForm(secret: string, { header, form }: NonNullable<Signatures['signature']>): string {
  const isTimed = form.includes('{time}');
  const encoding = form.includes('{base64}') ? 'base64' : 'hex';
  const prefix = isTimed ? '' : form.replace(/\{.*/, '');
  const given = isTimed
    ? `  const given = headers['${header}'].split(',').map((part) => part.split('='));
  const time = Number(given.find(([name]) => name === 't')[1]);
  if (!(Math.abs(Date.now() / 1000 - time) <= 300)) return false;
`
    : '';
  const compared = isTimed
    ? `given.some(([name, value]) => name === 'v1' && isSame(value))`
    : `isSame(headers['${header}'])`;
  return `import { createHmac, timingSafeEqual } from 'node:crypto';

const secret = '${secret}';

/** headers: with names in lower case, as Node has them; body: the bytes as received. */
export function verify(headers, body) {
${given}  const mac = createHmac('sha256', secret)${isTimed ? '.update(`${time}.`)' : ''}.update(body).digest('${encoding}');
  const expected = Buffer.from(\`${prefix}\${mac}\`);
  const isSame = (text) =>
    Buffer.byteLength(text) === expected.length && timingSafeEqual(Buffer.from(text), expected);
  return ${compared};
}
`;
}

const ed25519 = (publicKey: string) => `import { createPublicKey, verify as isSigned } from 'node:crypto';

const x = Buffer.from('${publicKey}'.slice('whpk_'.length), 'base64').toString('base64url');
const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });

/** headers: with names in lower case, as Node has them; body: the bytes as received. */
export function verify(headers, body) {
  const id = headers['webhook-id'];
  const timestamp = Number(headers['webhook-timestamp']);
  if (!(Math.abs(Date.now() / 1000 - timestamp) <= 300)) return false;
  const message = Buffer.concat([Buffer.from(\`\${id}.\${timestamp}.\`), body]);
  return headers['webhook-signature']
    .split(' ')
    .filter((signature) => signature.startsWith('v1a,'))
    .some((signature) => isSigned(null, message, key, Buffer.from(signature.slice(4), 'base64')));
}
`;
