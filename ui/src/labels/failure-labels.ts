import type { DeliveryError } from '@contract/delivery';
import { outcomeLabel } from './delivery-labels';

/** What to do about each error. */
const ADVICE: Record<DeliveryError, string> = {
  http_status: 'Check the receiver’s logs.',
  connection_refused: 'Start the receiver, or correct the target’s address.',
  connection_reset:
    'Check the logs of the receiver and of any proxy in front of it. If its port expects TLS, use an https address.',
  timeout: 'Make the receiver respond before it processes the event, or increase the target’s timeout.',
  name_not_found: 'Check the target’s address and this machine’s DNS configuration.',
  name_lookup_failed: 'Check the name servers of this machine and of the receiver’s domain.',
  tls: 'Check that the receiver supports HTTPS and a current TLS version.',
  tls_expected: 'Use an https address: the port speaks TLS.',
  tls_not_spoken: 'Use an http address, or set up TLS at the receiver.',
  response_invalid: 'Correct the receiver or the proxy in front of it; an attempt shows what it sends.',
  unreachable: 'Check the receiver’s address, and the routes of this machine.',
  local_failure: 'See the alert about this machine.',
  certificate_expired: 'Renew the receiver’s certificate and check the clocks of both machines.',
  certificate_unknown: 'Add your certificate authority to the target’s settings.',
  certificate_name: 'Use the host name in the certificate, or issue a certificate for this host name.',
  answer_too_large: 'Make the receiver send fewer or shorter response headers.',
  address_denied: 'Use another address, or allow this one with SWITCHBOARD_TARGET_ALLOW.',
  own_intake: 'Use the receiver’s address, not Switchboard’s.',
  proxy_failed:
    'Check the proxy of Switchboard (HTTPS_PROXY, HTTP_PROXY) and whether it permits this address.',
  transform_failed: 'Correct the expression of the target, then retry these deliveries.',
  smtp_reply: 'Check the user name, the password and the addresses; a test shows the server’s reply.',
  network: 'Check the network between Switchboard and the receiver.',
  expired: 'Find out why the target was unavailable for so long, then retry these deliveries.',
  gone: 'Check with the receiver’s operator. To resume, enable the target and retry these deliveries.',
};

const isDeliveryError = (text: string): text is DeliveryError => text in ADVICE;

function adviceForStatus(status: number): string {
  if (status === 401 || status === 403)
    return 'Check that the receiver accepts the target’s secret and headers.';
  if (status === 404 || status === 405) return 'Check the path in the target’s address.';
  if (status === 413) return 'Increase the receiver’s request size limit.';
  if (status === 429) return 'Set a rate limit for the target, or lower its concurrency.';
  if (status >= 500) return 'The receiver failed. Check its logs.';
  if (status >= 300 && status < 400)
    return 'Redirects are not followed. Set the target to the final address.';
  return 'The receiver rejected the request. Check its logs.';
}

/** Why deliveries failed and what to do about it. @param error an error code or HTTP status */
export function describeCause(error: string | null): { sentence: string; advice: string } {
  if (error === null)
    return { sentence: 'Failed before any attempt', advice: 'Check the individual deliveries.' };
  if (isDeliveryError(error)) return { sentence: outcomeLabel(null, error), advice: ADVICE[error] };
  return { sentence: `HTTP ${error}`, advice: adviceForStatus(Number(error)) };
}
