import type { Alert } from '../events/alert';
import type { TargetRecord } from '../targets/target-record';

/** Why a target loses events or is about to. Times are ms since 1970, reasons are sentences. */
export type TargetProblem =
  | { kind: 'disabled'; reason: string }
  /** Its circuit breaker has been open for a long time, since `since`. */
  | { kind: 'down'; since: number; reason: string }
  /** `at`: when its oldest delivery expires. `open`: how many are queued. */
  | { kind: 'expiring'; at: number; open: number };

/** The alert for a problem of a target. */
export function describeTargetProblem(target: TargetRecord, problem: TargetProblem): Alert {
  const { id, name, paused } = target;
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
  if (problem.kind === 'down') {
    const { since, reason } = problem;
    return {
      ...identity,
      severity: 'warning',
      sentence: `${name} has been unreachable since ${toIso(since)}: ${reason}`,
      remedy: 'Check the receiver: queued deliveries are sent as soon as it responds to a probe.',
      data: { ...shown, since: toIso(since), reason },
    };
  }
  const { at, open } = problem;
  const why = paused === null ? '' : ` The target is paused: ${paused.reason}`;
  return {
    ...identity,
    severity: 'critical',
    sentence: `Deliveries to ${name} are about to expire, the oldest at ${toIso(at)}; ${open} ${open === 1 ? 'is' : 'are'} queued.${why}`,
    remedy:
      'Fix or resume the target, or increase its max_age_s. Expired deliveries become dead letters, which can be retried.',
    data: { ...shown, expires_at: toIso(at), open },
  };
}

const toIso = (at: number) => new Date(at).toISOString();
