import type { AttemptError } from '../../../contract/delivery';

/** A status line, at the begin of a response or after an interim one. */
const STATUS_LINE = /(?<=^|\r\n\r\n)HTTP\/1\.[01] ([2-5]\d\d)[ \r\n]/;

/** The types of records of TLS, followed by the first byte of their version (RFC 8446, 5.1). */
const isTlsRecord = ([type = 0, version]: Uint8Array) => type >= 0x14 && type <= 0x17 && version === 0x03;

/** What a target answered that undici's parser rejects. */
export interface InvalidResponse {
  /** The one that can be read all the same: it decides, as with a body that is cut off. */
  status: number | null;
  error: AttemptError;
  /** Why it is rejected, and its begin. */
  answer: Buffer;
}

/**
 * @param failure undici's
 * @param received the bytes that it rejects
 * @returns null if it failed otherwise
 */
export function readInvalidResponse(failure: unknown, received: Buffer | null): InvalidResponse | null {
  const { name, message, code } = failure as Error & { code?: string };
  const isInvalid =
    name === 'HTTPParserError' ||
    code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' ||
    (code === 'UND_ERR_SOCKET' && message.startsWith('bad '));
  if (!isInvalid || received === null) return null;
  const [, status = null] = STATUS_LINE.exec(received.toString('latin1')) ?? [];
  return {
    status: status === null ? null : Number(status),
    error: isTlsRecord(received) ? 'tls_expected' : 'response_invalid',
    answer: Buffer.concat([Buffer.from(`${message}: `), received]),
  };
}
