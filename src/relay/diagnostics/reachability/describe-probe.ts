import type { Probe, ProbeCause } from '../../../contract/probe';
import type { ProbeAnswer } from './send-probe';

const PROOF = 'A request through PUBLIC_URL came in here unchanged: the outside reaches this hub.';

/** Failures of the way there: a router may lead nobody from inside back in, and the outside comes through all the same. */
const FROM_INSIDE: readonly ProbeCause[] = ['dns', 'refused', 'unreachable', 'timeout', 'reset'];

const TUNNEL = 'Check that the tunnel or the reverse proxy runs and leads to the port this hub listens on.';

interface Words {
  /** `place` is the host of `PUBLIC_URL`, `answered` the answer's status. */
  sentence: (place: string, answered: string, answer: ProbeAnswer) => string;
  remedy: string;
}

const WORDS: Readonly<Record<ProbeCause, Words>> = {
  dns: {
    sentence: (place) => `The name ${place} leads to no address.`,
    remedy:
      'Compare PUBLIC_URL with the name that your DNS or your tunnel gave you; a new record may take minutes.',
  },
  refused: { sentence: (place) => `Nothing takes connections at ${place}.`, remedy: TUNNEL },
  unreachable: {
    sentence: (place) => `There is no way from here to ${place}.`,
    remedy: 'Check the network, and whether the address behind PUBLIC_URL is a public one.',
  },
  timeout: {
    sentence: (place) => `${place} did not answer within 5 s, which is as long as Co-Pilot waits.`,
    remedy: `${TUNNEL} A firewall that drops packets looks like this too.`,
  },
  reset: { sentence: (place) => `${place} ended the connection without an answer.`, remedy: TUNNEL },
  tls_expired: {
    sentence: (place) => `The certificate of ${place} is out of date, or not valid yet.`,
    remedy:
      'Renew it where https ends (reverse proxy or tunnel), and check the clock of that machine and of this one.',
  },
  tls_untrusted: {
    sentence: (place) =>
      `The certificate of ${place} comes from nobody that is trusted: it is self-signed, or its chain is incomplete.`,
    remedy:
      'Take one of a public authority and send the intermediate ones along: Co-Pilot can be expected to refuse this one.',
  },
  tls_wrong_name: {
    sentence: (place) => `The certificate that ${place} shows is made out to another name.`,
    remedy: 'Take one for the name in PUBLIC_URL, or correct PUBLIC_URL.',
  },
  tls: {
    sentence: (place) => `No https connection to ${place} came about.`,
    remedy: 'Check that https, and not plain http, is spoken at that port.',
  },
  proxy: {
    sentence: (place, answered) => `A proxy at ${place} answered ${answered}: it does not reach this hub.`,
    remedy:
      'Lead it to the address and port this hub listens on, and check that the two can reach each other.',
  },
  page: {
    sentence: (place, answered) => `A page in HTML answered ${answered} at ${place}, in place of this hub.`,
    remedy:
      'It is a warning page of the tunnel, a login in front of it, or a website: switch it off for the paths below /hooks/.',
  },
  redirect: {
    sentence: (place, answered, answer) =>
      `${place} redirects (${answered}${destination(answer)}); Co-Pilot wants 200 and may not follow.`,
    remedy:
      'Set PUBLIC_URL to the address at the end of the redirect, or take the redirect away for /hooks/.',
  },
  other_instance: {
    sentence: (place) => `Another Switchboard answers at ${place}.`,
    remedy:
      'Stop the other one, or give each its own PUBLIC_URL: what Co-Pilot sends for this hub ends at the other.',
  },
  other_program: {
    sentence: (place, answered) => `Another program answered ${answered} at ${place}.`,
    remedy: 'Lead PUBLIC_URL, with POST and all paths below /hooks/, to the port this hub listens on.',
  },
  body_altered: {
    sentence: (place) =>
      `The request came in, but its body was altered on the way through ${place}: every signature would fail.`,
    remedy:
      'Let the proxy pass bodies on as they are: no rewriting, no re-encoding, no inspection that parses JSON.',
  },
  header_altered: {
    sentence: (place) =>
      `The request came in, but a header was taken out or altered on the way through ${place}: a signature may get lost.`,
    remedy: 'Let the proxy pass all headers on unchanged.',
  },
  answer_altered: {
    sentence: (place, answered) =>
      `The request came in, but what ${place} gave back is not the answer of this hub (${answered}): Co-Pilot may take it for a failure.`,
    remedy: 'Let the proxy pass answers on as they are, and in time.',
  },
};

/** What is known of a proof. */
interface Proof {
  cause: ProbeCause | null;
  reached: boolean;
  answer: ProbeAnswer;
  failures: number;
  /** Ms since 1970. */
  certificateEndsAt: number | null;
}

/**
 * The proof in plain words.
 * @param place the host of `PUBLIC_URL`, with its port
 * @param at ms since 1970
 * @param lastNotificationAt ISO 8601, or null
 */
export function describeProbe(
  { cause, reached, answer, failures, certificateEndsAt }: Proof,
  place: string,
  at: number,
  lastNotificationAt: string | null,
): Probe {
  const ends = certificateEndsAt === null ? null : new Date(certificateEndsAt).toISOString();
  const shared = { at: new Date(at).toISOString(), reached, cause, failures, certificate_ends_at: ends };
  if (cause === null) return { ...shared, sentence: PROOF, remedy: null };
  const { sentence, remedy } = WORDS[cause];
  const answered = 'failed' in answer ? 'none came' : String(answer.status);
  const caveat = FROM_INSIDE.includes(cause) ? ` ${caveatOf(lastNotificationAt)}` : '';
  return { ...shared, sentence: sentence(place, answered, answer) + caveat, remedy };
}

/** Where to, without its path: the address of the proof is in it. */
function destination(answer: ProbeAnswer): string {
  if ('failed' in answer || answer.location === null || !URL.canParse(answer.location)) return '';
  return ` to ${new URL(answer.location).origin}`;
}

function caveatOf(lastNotificationAt: string | null): string {
  return lastNotificationAt === null
    ? 'This was tried from inside, and some routers lead nobody from inside back in: it does not prove that Co-Pilot cannot reach this hub.'
    : `Notifications do arrive, the last at ${lastNotificationAt}, so Co-Pilot came through then: some routers lead nobody from inside back in, and it may be this trial alone that failed.`;
}
