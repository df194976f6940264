import type { AttemptError } from '../../contract/delivery';
import type { AttemptOutcome } from './sending/send-attempt';

const WITHOUT_ANSWER: Readonly<Record<Exclude<AttemptError, 'http_status'>, string>> = {
  connection_refused: 'The target refused the connection',
  connection_reset: 'The target broke the connection off',
  timeout: 'The target did not answer in time',
  name_not_found: 'The name of the target was not found',
  name_lookup_failed: 'No name server answered for the name of the target',
  tls: 'No secure connection to the target came about',
  certificate_expired: 'The certificate of the target is not valid at this time',
  certificate_unknown: 'The certificate of the target is from an authority that is not trusted',
  certificate_name: 'The certificate of the target is for another name',
  answer_too_large: 'The target answered with headers that are too large',
  address_denied: 'The address of the target is not allowed here',
  own_intake: 'The address of the target is our own intake',
  network: 'The network failed on the way to the target',
};

/** An attempt that failed, as the beginning of a sentence. */
export function describeOutcome({ status, error }: Pick<AttemptOutcome, 'status' | 'error'>): string {
  return error === null || error === 'http_status' ? `The target answered ${status}` : WITHOUT_ANSWER[error];
}
