/** A function that verifies deliveries, with the secret filled in. */
export interface VerifySnippet {
  name: 'Node' | 'Python' | 'Go';
  code: string;
}

/** The contents of an `.env` file with a signing secret. */
export const envFile = (secret: string): string => `WEBHOOK_SECRET=${secret}\n`;

/** Each needs only the standard library. @param secret as it was shown: letters, digits and `+/=_` */
export const verifySnippets = (secret: string): VerifySnippet[] => [
  { name: 'Node', code: node(secret) },
  { name: 'Python', code: python(secret) },
  { name: 'Go', code: go(secret) },
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
