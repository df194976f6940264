import type { DeliveryError, DeliveryState, DeliveryTrigger } from '@contract/delivery';
import type { EventStatus, EventSummary } from '@contract/event';
import type { StateLabel } from './state-label';

/** The states of a delivery. */
export const DELIVERY_LABELS: Record<DeliveryState, StateLabel> = {
  waiting: {
    tone: 'busy',
    label: 'Queued',
    description: 'Queued behind an earlier delivery in the same lane',
  },
  pending: { tone: 'busy', label: 'Queued', description: 'Will be sent as soon as the target has capacity' },
  in_flight: { tone: 'busy', label: 'In flight', description: 'Sent, no response yet' },
  retrying: { tone: 'warn', label: 'Retrying', description: 'Failed at least once and will be retried' },
  succeeded: { tone: 'ok', label: 'Delivered', description: 'The target responded with a success status' },
  dead: { tone: 'bad', label: 'Failed', description: 'Failed permanently; it can be retried manually' },
  cancelled: { tone: 'idle', label: 'Cancelled', description: 'Cancelled before it was delivered' },
};

/** The states of an event, derived from its deliveries. */
export const EVENT_LABELS: Record<EventStatus, StateLabel> = {
  unmatched: {
    tone: 'idle',
    label: 'No target',
    description: 'Stored, but no target receives this event type',
  },
  pending: { tone: 'busy', label: 'Queued', description: 'At least one delivery was not sent yet' },
  retrying: {
    tone: 'warn',
    label: 'Retrying',
    description: 'At least one delivery failed and will be retried',
  },
  succeeded: { tone: 'ok', label: 'Delivered', description: 'Delivered to every matching target' },
  dead: { tone: 'bad', label: 'Failed', description: 'At least one delivery became a dead letter' },
  cancelled: {
    tone: 'idle',
    label: 'Cancelled',
    description: 'Its deliveries were cancelled, or have failed at a target that was deleted',
  },
};

const ERASED: StateLabel = { tone: 'idle', label: 'Erased', description: 'Its content was erased' };

/** The state of an event; what became of its deliveries does not matter once its content is gone. */
export const eventLabel = ({
  status,
  erased_at: erasedAt,
}: Pick<EventSummary, 'status' | 'erased_at'>): StateLabel =>
  erasedAt === null ? EVENT_LABELS[status] : ERASED;

/** What created a delivery. */
export const TRIGGER_LABELS: Record<DeliveryTrigger, string> = {
  live: 'Live',
  manual: 'Manual',
  replay: 'Replay',
  test: 'Test',
};

/** Why an attempt failed, or why the delivery ended without another one. */
const ERROR_LABELS: Record<DeliveryError, string> = {
  http_status: 'Unexpected HTTP status',
  connection_refused: 'Connection refused',
  connection_reset: 'Connection reset',
  timeout: 'Response timed out',
  name_not_found: 'Host name not found',
  name_lookup_failed: 'DNS lookup failed',
  tls: 'TLS handshake failed',
  certificate_expired: 'Certificate expired or not yet valid',
  certificate_unknown: 'Certificate authority not trusted',
  certificate_name: 'Certificate does not match the host name',
  tls_expected: 'The port speaks TLS',
  tls_not_spoken: 'The port does not speak TLS',
  answer_too_large: 'Response headers too large',
  response_invalid: 'Response is not valid HTTP',
  unreachable: 'No route to the host',
  local_failure: 'This machine could not connect',
  address_denied: 'Address not allowed',
  own_intake: 'Address is Switchboard’s own webhook endpoint',
  proxy_failed: 'Proxy failed',
  smtp_reply: 'Mail server rejected the message',
  transform_failed: 'Transformation failed',
  network: 'Network error',
  gone: 'Target is gone (HTTP 410)',
  expired: 'Not delivered within its lifetime',
};

const isDeliveryError = (text: string): text is DeliveryError => text in ERROR_LABELS;

/** The label of an error; an unknown one is shown as is. */
export const errorLabel = (error: string): string => (isDeliveryError(error) ? ERROR_LABELS[error] : error);

/** 250 is a mail server's reply (RFC 5321, 4.2.2); HTTP has no such status. */
export const statusLabel = (status: number): string => `${status === 250 ? 'SMTP' : 'HTTP'} ${status}`;

/** The outcome of an attempt: its status, its error, or both. */
export function outcomeLabel(status: number | null, error: DeliveryError | null): string {
  const reason = error === null || (status !== null && error === 'http_status') ? null : ERROR_LABELS[error];
  if (status === null) return reason ?? 'No response yet';
  return reason === null ? statusLabel(status) : `${reason}: ${statusLabel(status)}`;
}
