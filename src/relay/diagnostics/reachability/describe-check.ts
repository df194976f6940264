import type { ReachabilityCheck, ReachabilityCause } from '../../../contract/reachability';
import type { CheckResponse } from './send-check-request';
import { isLoopbackName } from '../../settings/loopback';
import { isoOrNull } from '../../ground/iso-time';

const REACHED = 'A request through PUBLIC_URL arrived unchanged: this hub is reachable';
const FROM_HERE = 'from this machine only, as its address is that of the machine itself.';

/**
 * Failures that may only affect connections from inside: without hairpin NAT a router does not forward a connection
 * from its own network to its public address.
 */
const CONNECTION_FAILURES: readonly ReachabilityCause[] = [
  'dns',
  'refused',
  'unreachable',
  'timeout',
  'reset',
];

const FORWARDING_REMEDY =
  'Check that the tunnel or the reverse proxy is running and forwards to the port this hub listens on.';

interface CauseText {
  /** `host` is that of `PUBLIC_URL`. */
  sentence: (host: string, status: string, response: CheckResponse) => string;
  remedy: string;
}

const TEXTS: Readonly<Record<ReachabilityCause, CauseText>> = {
  dns: {
    sentence: (host) => `The name ${host} does not resolve to an address.`,
    remedy:
      'Compare PUBLIC_URL with the name in your DNS or at your tunnel provider; a new record may take minutes to propagate.',
  },
  refused: { sentence: (host) => `${host} refuses connections.`, remedy: FORWARDING_REMEDY },
  unreachable: {
    sentence: (host) => `There is no route from here to ${host}.`,
    remedy: 'Check the network, and that PUBLIC_URL resolves to a public address.',
  },
  timeout: {
    sentence: (host) => `${host} did not respond within 5 s, which is as long as Co-Pilot waits.`,
    remedy: `${FORWARDING_REMEDY} A firewall that drops packets has the same effect.`,
  },
  reset: {
    sentence: (host) => `${host} closed the connection without a response.`,
    remedy: FORWARDING_REMEDY,
  },
  tls_expired: {
    sentence: (host) => `The certificate of ${host} has expired or is not valid yet.`,
    remedy:
      'Renew it where TLS is terminated (reverse proxy or tunnel), and check the clocks of that machine and of this one.',
  },
  tls_untrusted: {
    sentence: (host) =>
      `The certificate of ${host} is not trusted: it is self-signed, or its chain is incomplete.`,
    remedy:
      'Use a certificate from a public authority and serve its intermediate certificates: Co-Pilot will probably reject this one.',
  },
  tls_wrong_name: {
    sentence: (host) => `The certificate of ${host} is issued for another host name.`,
    remedy: 'Use a certificate for the host name in PUBLIC_URL, or correct PUBLIC_URL.',
  },
  tls: {
    sentence: (host) => `The TLS handshake with ${host} failed.`,
    remedy: 'Check that the port serves https, not plain http.',
  },
  proxy: {
    sentence: (host, status) => `A proxy at ${host} responded with ${status}: it cannot reach this hub.`,
    remedy:
      'Point it to the address and port this hub listens on, and check that the two can reach each other.',
  },
  page: {
    sentence: (host, status) =>
      `${host} returned an HTML page (${status}) instead of the response of this hub.`,
    remedy:
      'It may be a warning page of the tunnel, a login page, or a website: disable it for the paths below /hooks/.',
  },
  redirect: {
    sentence: (host, status, response) =>
      `${host} redirects (${status}${redirectOrigin(response)}); Co-Pilot expects 200 and may not follow redirects.`,
    remedy: 'Set PUBLIC_URL to the final URL of the redirect, or remove the redirect for /hooks/.',
  },
  other_instance: {
    sentence: (host) => `Another Switchboard responds at ${host}.`,
    remedy:
      'Stop the other instance, or set a different PUBLIC_URL for each: notifications for this hub reach the other one.',
  },
  other_program: {
    sentence: (host, status) => `Another program responded with ${status} at ${host}.`,
    remedy: 'Route PUBLIC_URL, with POST and all paths below /hooks/, to the port this hub listens on.',
  },
  body_altered: {
    sentence: (host) =>
      `The request arrived, but its body was altered on the way through ${host}, so every signature would fail.`,
    remedy:
      'Configure the proxy to forward bodies unchanged: no rewriting, no re-encoding, no inspection that parses JSON.',
  },
  header_altered: {
    sentence: (host) =>
      `The request arrived, but a header was removed or altered on the way through ${host}, so the signature may be lost.`,
    remedy: 'Configure the proxy to forward all headers unchanged.',
  },
  answer_altered: {
    sentence: (host, status) =>
      `The request arrived, but ${host} returned a different response than this hub sent (${status}): Co-Pilot may treat it as a failure.`,
    remedy: 'Configure the proxy to forward responses unchanged and in time.',
  },
};

/** What a check found. `failures` counts the failed checks in a row, including this one. */
interface CheckResult {
  cause: ReachabilityCause | null;
  reached: boolean;
  response: CheckResponse;
  failures: number;
  /** Ms since 1970. */
  certificateEndsAt: number | null;
}

/**
 * The check as the API shows it.
 * @param host the host of `PUBLIC_URL`, with its port
 * @param at ms since 1970
 * @param lastNotificationAt ISO 8601, or null
 */
export function describeCheck(
  { cause, reached, response, failures, certificateEndsAt }: CheckResult,
  host: string,
  at: number,
  lastNotificationAt: string | null,
): ReachabilityCheck {
  const ends = isoOrNull(certificateEndsAt);
  const shared = { at: new Date(at).toISOString(), reached, cause, failures, certificate_ends_at: ends };
  if (cause === null) {
    const from = isLoopbackName(new URL(`http://${host}`).hostname) ? FROM_HERE : 'from outside.';
    return { ...shared, sentence: `${REACHED} ${from}`, remedy: null };
  }
  const { sentence, remedy } = TEXTS[cause];
  const status = 'failed' in response ? 'no response' : String(response.status);
  const caveat = CONNECTION_FAILURES.includes(cause) ? ` ${hairpinCaveat(lastNotificationAt)}` : '';
  return { ...shared, sentence: sentence(host, status, response) + caveat, remedy };
}

/** The redirect's origin, without the path, which contains the key of the check. */
function redirectOrigin(response: CheckResponse): string {
  if ('failed' in response || response.location === null || !URL.canParse(response.location)) return '';
  return ` to ${new URL(response.location).origin}`;
}

function hairpinCaveat(lastNotificationAt: string | null): string {
  return lastNotificationAt === null
    ? 'The check was sent from inside, and some routers do not support hairpin NAT: it does not prove that Co-Pilot cannot reach this hub.'
    : `Notifications do arrive, the last at ${lastNotificationAt}: Co-Pilot could reach this hub then. Some routers do not support hairpin NAT, so perhaps only the check fails.`;
}
