import type { Agent } from 'undici';
import { RESPONSE_TIMEOUT_MS } from '../../protocol/limits';
import type { Clock } from '../clock';
import type { Outcome } from './delivery';

/** A notification ready to be sent once. */
export interface SignedNotification {
  url: URL;
  body: Buffer;
  /** The signature header. */
  signature: readonly [name: string, value: string];
}

/**
 * Makes one attempt. The timeout (document, 6.3) covers connecting, sending and the whole response. Redirects are not
 * followed. Never rejects: a failure is an outcome.
 */
export async function sendAttempt(
  agent: Agent,
  clock: Clock,
  notification: SignedNotification,
): Promise<Outcome> {
  const timeout = new AbortController();
  const cancelTimeout = clock.after(RESPONSE_TIMEOUT_MS, () => timeout.abort());
  try {
    const response = await agent.request({
      origin: notification.url.origin,
      path: notification.url.pathname + notification.url.search,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Co-Pilot-Webhooks/1.0 (sandbox)',
        [notification.signature[0]]: notification.signature[1],
      },
      body: notification.body,
      signal: timeout.signal,
    });
    await response.body.dump({ limit: Number.MAX_SAFE_INTEGER, signal: timeout.signal });
    return { kind: 'response', status: response.statusCode };
  } catch (error) {
    if (timeout.signal.aborted) return { kind: 'timeout' };
    return { kind: 'unreachable', code: codeOf(error) };
  } finally {
    cancelTimeout();
  }
}

function codeOf(error: unknown): string {
  const named = typeof error === 'object' && error !== null && 'code' in error;
  return named && typeof error.code === 'string' ? error.code : 'UNKNOWN';
}
