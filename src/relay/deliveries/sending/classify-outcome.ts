import type { AttemptOutcome } from './send-attempt';

/**
 * What an attempt tells of its target: `outage` where nobody answered or the answer was 429 or 5xx; `alive` for every other
 * answer, since one event that is refused is no outage. `unknown` where we ourselves refused the address.
 */
export type Verdict = 'alive' | 'outage' | 'unknown';

const TOO_MANY_REQUESTS = 429;

export function classifyOutcome({ status, error }: Pick<AttemptOutcome, 'status' | 'error'>): Verdict {
  if (error === null) return 'alive';
  if (error === 'address_denied' || error === 'own_intake') return 'unknown';
  if (error !== 'http_status') return 'outage';
  return status === TOO_MANY_REQUESTS || status! >= 500 ? 'outage' : 'alive';
}
