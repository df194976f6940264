import type { AttemptError } from '../../../contract/delivery';
import type { TransformFailure } from '../../../contract/transform';
import { failureText } from '../../transforms/failure-text';

export interface AttemptOutcome {
  /** The response status; null without a response. */
  status: number | null;
  /** Null on success. */
  error: AttemptError | null;
  durationMs: number;
  excerpt: string | null;
  /** The `Retry-After` header of an unsuccessful response. */
  retryAfter: string | null;
  /** Whether the target closed a connection that was used before, as the request was on its way. */
  wasStale?: boolean;
  /** The version of the expression that made the body, the event that was `$previous`, and why it failed. */
  transform?: number;
  previous?: number | null;
  failure?: TransformFailure;
  /** To call once the result is on disk: the process that made the attempt for a listener remembers it until then. */
  confirm?: () => void;
}

/**
 * What an attempt tells about its target. `unavailable`: no response, or 429 or 5xx. `available`: any other response,
 * since a target that rejects one event is not down. `unknown`: nothing was sent, because Switchboard denied the
 * address, this machine could not connect, or the expression of the target failed.
 */
export type Availability = 'available' | 'unavailable' | 'unknown';

const NOTHING_SENT = new Set<AttemptError>([
  'address_denied',
  'own_intake',
  'local_failure',
  'transform_failed',
]);

const TOO_MANY_REQUESTS = 429;

export function classifyOutcome({ status, error }: Pick<AttemptOutcome, 'status' | 'error'>): Availability {
  if (error === null) return 'available';
  if (NOTHING_SENT.has(error)) return 'unknown';
  if (error === 'smtp_reply') return 'available';
  if (error !== 'http_status') return 'unavailable';
  return status === TOO_MANY_REQUESTS || status! >= 500 ? 'unavailable' : 'available';
}

const ERRORS: Readonly<Record<Exclude<AttemptError, 'http_status'>, string>> = {
  connection_refused: 'Connection refused',
  connection_reset: 'Connection reset',
  timeout: 'Response timed out',
  name_not_found: 'Host name not found',
  name_lookup_failed: 'DNS lookup failed',
  tls: 'TLS handshake failed',
  certificate_expired: 'Certificate expired or not yet valid',
  certificate_unknown: 'Certificate authority not trusted',
  certificate_name: 'Certificate does not match the host name',
  tls_expected: 'The port speaks TLS: use https',
  tls_not_spoken: 'The port does not speak TLS: use http',
  answer_too_large: 'Response headers too large',
  response_invalid: 'The response is not valid HTTP',
  unreachable: 'No route to the host',
  local_failure: 'This machine could not open the connection',
  address_denied: 'Address not allowed',
  own_intake: "Address is Switchboard's own webhook endpoint",
  proxy_failed: 'Proxy failed',
  smtp_reply: 'Mail server rejected the message',
  transform_failed: 'Transformation failed',
  network: 'Network error',
};

/** A failure without an HTTP response. @param started by `performance.now()` */
export const failedOutcome = (
  error: AttemptError,
  started: number,
  excerpt: string | null = null,
): AttemptOutcome => ({
  status: null,
  error,
  durationMs: Math.round(performance.now() - started),
  excerpt,
  retryAfter: null,
});

/** An expression had no usable result, so there was no request. */
export const transformFailedOutcome = (failure: TransformFailure): AttemptOutcome => ({
  ...failedOutcome('transform_failed', performance.now(), failureText(failure)),
  failure,
});

/** An unsuccessful outcome in a few words, such as `HTTP 503`; without a full stop. */
export function describeOutcome({ status, error }: Pick<AttemptOutcome, 'status' | 'error'>): string {
  return error === null || error === 'http_status' ? `HTTP ${status}` : ERRORS[error];
}
