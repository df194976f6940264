import type { Alert } from '../events/alerts';
import type { TargetRecord } from '../targets/target-record';

/** Why a target loses events, or is about to. Times are ms since 1970, reasons are sentences. */
export type Trouble =
  | { kind: 'disabled'; reason: string }
  /** Its breaker is open for long. */
  | { kind: 'down'; since: number; reason: string }
  /** `at`: when the oldest of its deliveries is given up. `open`: how many there are. */
  | { kind: 'expiring'; at: number; open: number };

/** The alert that tells of it. */
export function describeTargetTrouble(target: TargetRecord, trouble: Trouble): Alert {
  const { id, name, paused } = target;
  const shown = { target_id: id, target_name: name };
  const basis = { type: `relay.target.${trouble.kind}` as const, subject: id };
  if (trouble.kind === 'disabled') {
    const { reason } = trouble;
    return {
      ...basis,
      severity: 'critical',
      sentence: `${name} is disabled: ${reason} New events pass it by, and what was open there became dead letters.`,
      remedy:
        'Ask whoever runs the receiver. Once it is back, enable the target, retry what failed, and replay what passed it by.',
      data: { ...shown, reason },
    };
  }
  if (trouble.kind === 'down') {
    const { since, reason } = trouble;
    return {
      ...basis,
      severity: 'warning',
      sentence: `${name} has not been reached since ${instantOf(since)}: ${reason}`,
      remedy: 'Look after the receiver: what waits for it is sent as soon as it answers a probe.',
      data: { ...shown, since: instantOf(since), reason },
    };
  }
  const { at, open } = trouble;
  const why = paused === null ? '' : ` The target is paused: ${paused.reason}`;
  return {
    ...basis,
    severity: 'critical',
    sentence: `Deliveries to ${name} are about to expire, the oldest at ${instantOf(at)}; ${open} ${open === 1 ? 'is' : 'are'} open.${why}`,
    remedy:
      'Set the target right, or resume it; or give it a longer max_age_s. What expires becomes a dead letter, which can be sent again.',
    data: { ...shown, expires_at: instantOf(at), open },
  };
}

const instantOf = (at: number) => new Date(at).toISOString();
