import type { DeliveryError, DeliveryState, DeliveryTrigger } from '../../../src/contract/delivery';
import type { EventStatus } from '../../../src/contract/event';
import type { StateWords } from './state-label';

/** The states of a delivery in words. */
export const DELIVERY_WORDS: Record<DeliveryState, StateWords> = {
  waiting: { tone: 'idle', word: 'Waiting', meaning: 'Waits behind an earlier delivery of its lane' },
  pending: { tone: 'busy', word: 'Pending', meaning: 'Will be sent as soon as the target has room' },
  in_flight: { tone: 'busy', word: 'In flight', meaning: 'Sent, the answer is still out' },
  retrying: { tone: 'warn', word: 'Retrying', meaning: 'Failed at least once and will be tried again' },
  succeeded: { tone: 'ok', word: 'Succeeded', meaning: 'The target answered with 2xx' },
  dead: { tone: 'bad', word: 'Dead', meaning: 'Given up; it can be sent again by hand' },
  cancelled: { tone: 'idle', word: 'Cancelled', meaning: 'Given up before it was sent' },
};

/** The states of an event, derived from its deliveries, in words. */
export const EVENT_WORDS: Record<EventStatus, StateWords> = {
  unmatched: { tone: 'idle', word: 'No target', meaning: 'Stored, but no target takes this type' },
  pending: { tone: 'busy', word: 'Pending', meaning: 'At least one delivery is under way' },
  retrying: {
    tone: 'warn',
    word: 'Retrying',
    meaning: 'At least one delivery failed and will be tried again',
  },
  succeeded: { tone: 'ok', word: 'Delivered', meaning: 'Every target has it' },
  dead: { tone: 'bad', word: 'Dead', meaning: 'At least one delivery has failed for good' },
  cancelled: { tone: 'idle', word: 'Cancelled', meaning: 'Its deliveries were given up' },
};

/** Where a delivery comes from, when that is worth a word. */
export const TRIGGER_WORDS: Record<DeliveryTrigger, string> = {
  live: 'Live',
  manual: 'Sent by hand',
  replay: 'Replay',
  test: 'Test',
};

/** Why a try failed, or what ended the delivery without one, in the words that the daemon has for it in its notes. */
const ERROR_WORDS: Record<DeliveryError, string> = {
  http_status: 'The target refused it',
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
  gone: 'The target is gone: it answered 410',
  expired: 'It could not be delivered within its lifetime',
};

const isDeliveryError = (text: string): text is DeliveryError => text in ERROR_WORDS;

/** Why a try failed, by the daemon's name for it. */
export const errorInWords = (error: string): string => (isDeliveryError(error) ? ERROR_WORDS[error] : error);

/** The outcome of a try: its status, its error, or both, in words. */
export function outcomeOf(status: number | null, error: DeliveryError | null): string {
  if (status !== null) return error === null ? `Answered ${status}` : `${ERROR_WORDS[error]}: ${status}`;
  return error === null ? 'No answer yet' : ERROR_WORDS[error];
}
