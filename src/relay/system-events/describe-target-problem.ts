import type { Alert } from '../events/alert';
import type { LatestAttempts } from '../deliveries/latest-attempts.store';
import { describeOutcome } from '../deliveries/sending/attempt-outcome';
import type { TargetRecord } from '../targets/target-record';
import { failureRemedy } from './failure-remedy';
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
        'Contact the operator of the receiver. Once it works again, enable the target, retry the dead letters, and replay the events it missed.',
      data: { ...shown, reason },
    };
  }
  if (problem.kind === 'down' || problem.kind === 'failing') {
    const { latest, open, now } = problem;
    const { status = null, error = null, excerpt = null } = latest.lastFailure ?? {};
    const since = toIso(problem.kind === 'down' ? problem.since : (latest.failingSince ?? now));
    const answer =
      excerpt === null
        ? ''
        : ` Its response: “${excerpt.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_EXCERPT)}”`;
    const queued = `${open} ${open === 1 ? 'delivery was' : 'deliveries were'} queued by ${toIso(now)}.`;
    return {
      ...identity,
      severity: 'warning',
      sentence: `${name} ${problem.kind === 'down' ? `is down since ${since}: ${problem.reason}` : describeFailures(latest)}${answer} ${queued}`,
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

/** All attempts since a time, or else how many of the latest. */
function describeFailures({ failed, failuresInRow, failingSince, lastFailure }: LatestAttempts): string {
  const last = lastFailure === null ? '' : `, the last with ${describeOutcome(lastFailure)}`;
  const count = failed.filter(Boolean).length;
  return failuresInRow < count || failingSince === null
    ? `is failing: ${count} of the latest ${failed.length} attempts failed${last}.`
    : `is failing since ${toIso(failingSince)}: all ${failuresInRow} attempts failed${last}.`;
}
