import type { DeliveryError } from '../../../src/contract/delivery';
import { outcomeOf } from './delivery-labels';

/** What to do about a way to fail, or to end. */
const ADVICE: Record<DeliveryError, string> = {
  http_status: 'Look into the receiver’s log.',
  connection_refused: 'Start the receiver, or correct the target’s address.',
  connection_reset: 'Look into the receiver’s log, or that of a proxy before it.',
  timeout: 'Answer first and work afterwards, or give the target a longer time limit.',
  name_not_found: 'Correct the target’s address, or the name service of this machine.',
  name_lookup_failed: 'Look at the name servers of this machine, and at those of the receiver’s domain.',
  tls: 'Look whether the address speaks https and which versions of TLS it takes.',
  certificate_expired: 'Renew the receiver’s certificate, and look at the clocks of both machines.',
  certificate_unknown: 'Give the target the certificate of your authority.',
  certificate_name: 'Use the name that the certificate is for, or get one for this name.',
  answer_too_large: 'Let the receiver answer with fewer or shorter headers.',
  address_denied:
    'Use another address, or allow this one: SWITCHBOARD_TARGET_ALLOW in Switchboard’s settings.',
  own_intake: 'Give the target the address of the receiver, not ours.',
  network: 'Look at the network between Switchboard and the receiver.',
  expired: 'Look why the target took nothing for so long; then retry these.',
  gone: 'Ask whoever runs the receiver. To send here again, enable the target and retry these.',
};

const isDeliveryError = (text: string): text is DeliveryError => text in ADVICE;

function adviceForStatus(status: number): string {
  if (status === 401 || status === 403)
    return 'Look whether the receiver has the target’s secret and headers.';
  if (status === 404 || status === 405) return 'Correct the path in the target’s address.';
  if (status === 413) return 'Let the receiver take larger requests.';
  if (status === 429) return 'Give the target a rate, or fewer requests at once.';
  if (status >= 500) return 'The receiver failed: look into its log.';
  if (status >= 300 && status < 400) return 'Redirects are not followed: give the target the final address.';
  return 'The receiver refused it: look into its log.';
}

/** Why deliveries died, in a sentence, and what to do about it. `error` as the API's filter names it. */
export function causeWords(error: string | null): { sentence: string; advice: string } {
  if (error === null) return { sentence: 'Given up without an attempt', advice: 'Look at the deliveries.' };
  if (isDeliveryError(error)) return { sentence: outcomeOf(null, error), advice: ADVICE[error] };
  return { sentence: `The target answered ${error}`, advice: adviceForStatus(Number(error)) };
}

/** What ends a delivery without another attempt. */
export const ENDINGS: readonly DeliveryError[] = ['gone', 'expired'];

/** The ways to fail without an answer, for choosing one. */
export const ERRORS_WITHOUT_ANSWER: readonly DeliveryError[] = Object.keys(ADVICE)
  .filter(isDeliveryError)
  .filter((error) => error !== 'http_status' && !ENDINGS.includes(error));
