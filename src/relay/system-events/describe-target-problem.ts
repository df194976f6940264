import type { AttemptError } from '../../contract/delivery';
import type { Alert } from '../events/alert';
import type { LatestAttempts } from '../deliveries/latest-attempts.store';
import { describeOutcome } from '../deliveries/sending/attempt-outcome';
import type { TargetRecord } from '../targets/target-record';
import { formatCount } from '../ground/format-count';
import { toIso } from '../ground/iso-time';

/** Why a target loses events or is about to. Times are ms since 1970, reasons are sentences. */
export type TargetProblem =
  | { kind: 'disabled'; reason: string }
  /** Its circuit breaker has been open since `since`. */
  | ({ kind: 'down'; since: number; reason: string } & Unsuccessful)
  | ({ kind: 'failing' } & Unsuccessful)
  /** `at`: when its oldest delivery expires. `open`: how many are queued. */
  | { kind: 'expiring'; at: number; open: number };

/** What the texts about a target whose attempts fail need. */
export interface Unsuccessful {
  latest: LatestAttempts;
  /** How many deliveries are queued. */
  open: number;
  now: number;
}

/** Longer excerpts are in the list of attempts. */
const MAX_EXCERPT = 160;

/** The alert for a problem of a target. */
export function describeTargetProblem(target: TargetRecord, problem: TargetProblem): Alert {
  const { id, name, paused, listener } = target;
  const shown = { target_id: id, target_name: name };
  const identity = { type: `relay.target.${problem.kind}` as const, subject: id };
  if (problem.kind === 'disabled') {
    const { reason } = problem;
    return {
      ...identity,
      severity: 'critical',
      sentence: `${name} is disabled: ${reason} It receives no new events, and its queued deliveries became dead letters.`,
      remedy:
        'Contact the operator of the receiver. Once it works again, enable the target, retry what failed, and replay the events it missed.',
      data: { ...shown, reason },
    };
  }
  if (problem.kind === 'down' || problem.kind === 'failing') {
    const { latest, open, now } = problem;
    const { status = null, error = null, excerpt = null } = latest.lastFailure ?? {};
    const since = toIso(problem.kind === 'down' ? problem.since : (latest.failingSince ?? now));
    const answer = excerpt === null ? '' : quotation(excerpt);
    const queued =
      open === 0
        ? ''
        : ` ${formatCount(open)} ${open === 1 ? 'delivery was' : 'deliveries were'} queued by ${toIso(now)}.`;
    return {
      ...identity,
      severity: 'warning',
      sentence: `${name} ${problem.kind === 'down' ? `has been down since ${since}: ${problem.reason}` : describeFailures(latest)}${answer}${queued}`,
      remedy: failureRemedy(latest.lastFailure),
      data: { ...shown, since, status, error, excerpt, queued: open },
    };
  }
  const { at, open } = problem;
  const why = paused === null ? '' : ` The target is paused: ${paused.reason}`;
  return {
    ...identity,
    severity: 'critical',
    sentence: `Deliveries to ${name} are about to expire, the oldest at ${toIso(at)}; ${open} ${open === 1 ? 'is' : 'are'} queued.${why}`,
    remedy: `${listener === null ? 'Fix or resume the target' : 'Start its process (switchboard listen)'}, or increase its max_age_s. Expired deliveries become dead letters, which can be retried.`,
    data: { ...shown, expires_at: toIso(at), open },
  };
}

/** How the sentence of an alert quotes a response. */
export const quotation = (excerpt: string): string =>
  ` Its response: “${excerpt.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_EXCERPT)}”.`;

/** All attempts since a time, or else how many of the latest. */
function describeFailures({ failed, failuresInRow, failingSince, lastFailure }: LatestAttempts): string {
  const last = lastFailure === null ? '' : `, the last with ${describeOutcome(lastFailure)}`;
  const count = failed.filter(Boolean).length;
  return failuresInRow < count || failingSince === null
    ? `is failing: ${formatCount(count)} of the latest ${formatCount(failed.length)} attempts failed${last}.`
    : `is failing since ${toIso(failingSince)}: all ${formatCount(failuresInRow)} attempts failed${last}.`;
}

/** What to do about a target whose attempts fail: what the operator can check depends on how they fail. */
function failureRemedy(cause: LatestAttempts['lastFailure']): string {
  if (cause === null) return OTHER;
  if (cause.error !== 'http_status') return cause.error === null ? OTHER : BY_ERROR[cause.error];
  return BY_STATUS.find(([statuses]) => statuses(cause.status!))![1];
}

const OTHER = 'Check that the receiver runs, and that this machine can reach it.';

const CERTIFICATE =
  'Renew or correct the certificate of the receiver, or set the authority to trust in the TLS settings of the target.';

const BY_ERROR: Record<Exclude<AttemptError, 'http_status'>, string> = {
  timeout: 'Let the receiver respond before it processes the event, or increase the timeout of the target.',
  connection_refused: 'Start the receiver, and check host and port of the URL.',
  connection_reset:
    'Check the receiver and the proxy in front of it: it accepts connections and ends them. If the port expects TLS, use https.',
  name_not_found: 'Check the host name in the URL.',
  name_lookup_failed: 'Check the DNS servers of this machine.',
  tls: 'Check that the receiver speaks TLS on the port of the URL, and its TLS version.',
  tls_expected: 'Let the URL begin with https: the port speaks TLS.',
  tls_not_spoken: 'Let the URL begin with http, or set up TLS at the receiver: the port does not speak it.',
  response_invalid:
    'Correct the receiver or the proxy in front of it: the attempt shows what it sends, and why that is not HTTP.',
  unreachable: 'Check host and routes: this machine has none to the receiver, or the receiver is off.',
  certificate_expired: CERTIFICATE,
  certificate_unknown: CERTIFICATE,
  certificate_name: CERTIFICATE,
  answer_too_large: 'Let the receiver respond with fewer or shorter headers.',
  local_failure: 'Check the limits of this machine, such as that of open files: the target is not the cause.',
  network: OTHER,
  address_denied: 'Allow the address with SWITCHBOARD_TARGET_ALLOW, or change the URL.',
  own_intake: 'Change the URL: this is the webhook address of Switchboard itself.',
  proxy_failed: 'Check HTTPS_PROXY and the proxy.',
  transform_failed: 'Correct the expression of the target: the attempt says where it failed.',
  smtp_reply: 'The response of the mail server says why: check user, password, sender and recipients.',
};

const between = (first: number, last: number) => (status: number) => status >= first && status <= last;

const BY_STATUS: [(status: number) => boolean, string][] = [
  [
    between(401, 403),
    'Check that the receiver has the current signing secret of the target, and its secret headers.',
  ],
  [between(404, 405), 'Check the path of the URL, and that the receiver accepts POST there.'],
  [between(300, 399), 'Set the URL to the new location: redirects are not followed.'],
  [between(429, 429), 'Lower rate or concurrency in the policy of the target.'],
  [between(500, 599), 'Check the receiver, or the proxy in front of it: it reports an error of its own.'],
  [between(200, 299), 'Check the policy of the target: this status does not count as delivered (success).'],
  [() => true, 'The response says why the receiver rejects the events: correct the receiver or the URL.'],
];
