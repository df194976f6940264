import type { Probe, ProbeCause } from '../../../contract/probe';
import type { ProbeResponse } from './send-probe';

const REACHED = 'A request through PUBLIC_URL arrived unchanged: this hub is reachable from outside.';

/**
 * Connection failures: without hairpin NAT these fail from inside although this hub is reachable from
 * outside.
 */
const CONNECTION_FAILURES: readonly ProbeCause[] = ['dns', 'refused', 'unreachable', 'timeout', 'reset'];

const TUNNEL_REMEDY =
  'Check that the tunnel or the reverse proxy is running and forwards to the port this hub listens on.';

interface CauseText {
  /** `place` is the host of `PUBLIC_URL`, `answered` the status of the response. */
  sentence: (place: string, answered: string, answer: ProbeResponse) => string;
  remedy: string;
}

const TEXTS: Readonly<Record<ProbeCause, CauseText>> = {
  dns: {
    sentence: (place) => `The name ${place} does not resolve to an address.`,
    remedy:
      'Compare PUBLIC_URL with the name in your DNS or at your tunnel provider; a new record may take minutes to propagate.',
  },
  refused: { sentence: (place) => `Nothing takes connections at ${place}.`, remedy: TUNNEL_REMEDY },
  unreachable: {
    sentence: (place) => `There is no route from here to ${place}.`,
    remedy: 'Check the network, and that PUBLIC_URL resolves to a public address.',
  },
  timeout: {
    sentence: (place) => `${place} did not respond within 5 s, which is as long as Co-Pilot waits.`,
    remedy: `${TUNNEL_REMEDY} A firewall that drops packets has the same effect.`,
  },
  reset: { sentence: (place) => `${place} closed the connection without a response.`, remedy: TUNNEL_REMEDY },
  tls_expired: {
    sentence: (place) => `The certificate of ${place} has expired or is not valid yet.`,
    remedy:
      'Renew it where TLS is terminated (reverse proxy or tunnel), and check the clocks of that machine and of this one.',
  },
  tls_untrusted: {
    sentence: (place) =>
      `The certificate of ${place} is not trusted: it is self-signed, or its chain is incomplete.`,
    remedy:
      'Use a certificate from a public authority and serve its intermediate certificates: Co-Pilot will probably reject this one.',
  },
  tls_wrong_name: {
    sentence: (place) => `The certificate that ${place} shows is made out to another name.`,
    remedy: 'Use a certificate for the host name in PUBLIC_URL, or correct PUBLIC_URL.',
  },
  tls: {
    sentence: (place) => `No https connection to ${place} came about.`,
    remedy: 'Check that the port serves https, not plain http.',
  },
  proxy: {
    sentence: (place, answered) => `A proxy at ${place} answered ${answered}: it cannot reach this hub.`,
    remedy:
      'Point it to the address and port this hub listens on, and check that the two can reach each other.',
  },
  page: {
    sentence: (place, answered) => `A page in HTML answered ${answered} at ${place}, in place of this hub.`,
    remedy:
      'It may be a warning page of the tunnel, a login page, or a website: disable it for the paths below /hooks/.',
  },
  redirect: {
    sentence: (place, answered, answer) =>
      `${place} redirects (${answered}${destination(answer)}); Co-Pilot expects 200 and may not follow redirects.`,
    remedy: 'Set PUBLIC_URL to the final URL of the redirect, or remove the redirect for /hooks/.',
  },
  other_instance: {
    sentence: (place) => `Another Switchboard answers at ${place}.`,
    remedy:
      'Stop the other one, or give each its own PUBLIC_URL: notifications for this hub end up at the other.',
  },
  other_program: {
    sentence: (place, answered) => `Another program answered ${answered} at ${place}.`,
    remedy: 'Route PUBLIC_URL, with POST and all paths below /hooks/, to the port this hub listens on.',
  },
  body_altered: {
    sentence: (place) =>
      `The request came in, but its body was altered on the way through ${place}: every signature would fail.`,
    remedy:
      'Configure the proxy to forward bodies unchanged: no rewriting, no re-encoding, no inspection that parses JSON.',
  },
  header_altered: {
    sentence: (place) =>
      `The request came in, but a header was taken out or altered on the way through ${place}: the signature may be lost.`,
    remedy: 'Configure the proxy to forward all headers unchanged.',
  },
  answer_altered: {
    sentence: (place, answered) =>
      `The request came in, but what ${place} gave back is not the answer of this hub (${answered}): Co-Pilot may treat it as a failure.`,
    remedy: 'Configure the proxy to forward responses unchanged and in time.',
  },
};

/** A probe and its classified result. */
interface ClassifiedProbe {
  cause: ProbeCause | null;
  reached: boolean;
  response: ProbeResponse;
  failures: number;
  /** Ms since 1970. */
  certificateEndsAt: number | null;
}

/**
 * The probe as the API shows it.
 * @param host the host of `PUBLIC_URL`, with its port
 * @param at ms since 1970
 * @param lastNotificationAt ISO 8601, or null
 */
export function describeProbe(
  { cause, reached, response, failures, certificateEndsAt }: ClassifiedProbe,
  host: string,
  at: number,
  lastNotificationAt: string | null,
): Probe {
  const ends = certificateEndsAt === null ? null : new Date(certificateEndsAt).toISOString();
  const shared = { at: new Date(at).toISOString(), reached, cause, failures, certificate_ends_at: ends };
  if (cause === null) return { ...shared, sentence: REACHED, remedy: null };
  const { sentence, remedy } = TEXTS[cause];
  const status = 'failed' in response ? 'no response' : String(response.status);
  const caveat = CONNECTION_FAILURES.includes(cause) ? ` ${caveatOf(lastNotificationAt)}` : '';
  return { ...shared, sentence: sentence(host, status, response) + caveat, remedy };
}

/** The redirect's origin, without the path, which contains the probe's key. */
function destination(response: ProbeResponse): string {
  if ('failed' in response || response.location === null || !URL.canParse(response.location)) return '';
  return ` to ${new URL(response.location).origin}`;
}

function caveatOf(lastNotificationAt: string | null): string {
  return lastNotificationAt === null
    ? 'The probe was sent from inside, and some routers do not support hairpin NAT: it does not prove that Co-Pilot cannot reach this hub.'
    : `Notifications do arrive, the last at ${lastNotificationAt}: Co-Pilot could reach this hub then. Some routers do not support hairpin NAT, so perhaps only the probe fails.`;
}
