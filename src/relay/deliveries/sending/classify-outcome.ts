import type { AttemptOutcome } from './send-attempt';

/**
 * What an attempt says about its target: `outage` without a response, or for 429 and 5xx; `alive` for any other response,
 * since a target that rejects one event is not down; `unknown` if Switchboard itself denied the address.
 */
export type Verdict = 'alive' | 'outage' | 'unknown';

const TOO_MANY_REQUESTS = 429;

export function classifyOutcome({ status, error }: Pick<AttemptOutcome, 'status' | 'error'>): Verdict {
  if (error === null) return 'alive';
  if (error === 'address_denied' || error === 'own_intake') return 'unknown';
  if (error !== 'http_status') return 'outage';
  return status === TOO_MANY_REQUESTS || status! >= 500 ? 'outage' : 'alive';
}
