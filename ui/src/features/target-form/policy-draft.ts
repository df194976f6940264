import { POLICY_LIMITS } from '@contract/constants';
import { DEFAULT_POLICY } from '@contract/default-policy';
import type { TargetPolicy } from '@contract/target-policy';
import { formatDuration } from '../../format/duration';
import { retriesAllStatuses, formatStatuses } from '../../labels/policy-labels';
import {
  parseDurationField,
  parseDurations,
  parseNumber,
  parseStatuses,
  type ParseResult,
} from './parse-fields';

/** A policy as form fields: values stay text until they are parsed. */
export interface PolicyDraft {
  ordering: TargetPolicy['ordering'];
  onDead: TargetPolicy['on_dead'];
  timeout: string;
  concurrency: string;
  /** Empty: no limit. */
  rate: string;
  ratePer: 'second' | 'minute';
  success: string;
  retryKind: 'delays' | 'backoff';
  delays: string;
  attempts: string;
  firstDelay: string;
  multiplier: string;
  maxDelay: string;
  jitter: string;
  lifetime: string;
  retryNetwork: boolean;
  retryAllStatuses: boolean;
  retryStatuses: string;
  maxRetryAfter: string;
  hasBreaker: boolean;
  breakerFailures: string;
  firstProbe: string;
  maxProbeInterval: string;
  unknownPrevious: TargetPolicy['unknown_previous'];
  duplicates: TargetPolicy['duplicates'];
  synthetic: TargetPolicy['synthetic'];
}

export interface FieldError {
  path: string;
  message: string;
}

/** The initial fields of the retry schedule and the breaker that a policy does not use; shown once selected. */
const BACKOFF = { attempts: 10, first_s: 5, factor: 3, cap_s: 21_600 };
const DELAYS = [5, 30, 180, 900, 2_700, 9_000, 28_800];
const BREAKER = { failures: 5, first_probe_s: 5, cap_s: 300 };

type Limits = readonly [min: number, max: number];
const scale = ([min, max]: Limits, factor: number): Limits => [min * factor, max * factor];
const TIMEOUT_LIMITS_S = scale(POLICY_LIMITS.timeout_ms, 1 / 1_000);
const JITTER_LIMITS_PERCENT = scale(POLICY_LIMITS.jitter, 100);

/** The form fields of a policy. */
export function toPolicyDraft(policy: TargetPolicy): PolicyDraft {
  const { rate, retry, retry_on, breaker } = policy;
  const backoff = 'attempts' in retry ? retry : BACKOFF;
  const { failures, first_probe_s, cap_s } = breaker ?? BREAKER;
  const all = retriesAllStatuses(retry_on);
  return {
    ordering: policy.ordering,
    onDead: policy.on_dead,
    timeout: formatDuration(policy.timeout_ms / 1_000),
    concurrency: String(policy.concurrency),
    rate: rate === null ? '' : String(rate.limit),
    ratePer: rate?.per ?? 'second',
    success: formatStatuses(policy.success),
    retryKind: 'attempts' in retry ? 'backoff' : 'delays',
    delays: ('delays_s' in retry ? retry.delays_s : DELAYS).map(formatDuration).join(', '),
    attempts: String(backoff.attempts),
    firstDelay: formatDuration(backoff.first_s),
    multiplier: String(backoff.factor),
    maxDelay: formatDuration(backoff.cap_s),
    jitter: String(Math.round(policy.jitter * 1_000) / 10),
    lifetime: formatDuration(policy.max_age_s),
    retryNetwork: retry_on.network,
    retryAllStatuses: all,
    retryStatuses: all ? '408, 429, 5xx' : formatStatuses(retry_on.statuses),
    maxRetryAfter: formatDuration(policy.retry_after_cap_s),
    hasBreaker: breaker !== null,
    breakerFailures: String(failures),
    firstProbe: formatDuration(first_probe_s),
    maxProbeInterval: formatDuration(cap_s),
    unknownPrevious: policy.unknown_previous,
    duplicates: policy.duplicates,
    synthetic: policy.synthetic,
  };
}

/**
 * Parses the fields. Errors carry the path that the API would use; their fields keep the default in
 * `policy`, which must not be sent then.
 */
export function parsePolicy(draft: PolicyDraft): { policy: TargetPolicy; errors: FieldError[] } {
  const errors: FieldError[] = [];
  const valueOr = <Value>(path: string, result: ParseResult<Value>, fallback: Value): Value => {
    if ('value' in result) return result.value;
    errors.push({ path: `policy.${path}`, message: result.error });
    return fallback;
  };
  const duration = (path: string, text: string, limits: Limits, fallback: number) =>
    valueOr(path, parseDurationField(text, ...limits), fallback);
  const number = (path: string, text: string, limits: Limits, fallback: number) =>
    valueOr(path, parseNumber(text, ...limits, false), fallback);
  const integer = (path: string, text: string, limits: Limits, fallback: number) =>
    valueOr(path, parseNumber(text, ...limits), fallback);

  const backoff = () => ({
    attempts: integer('retry.attempts', draft.attempts, POLICY_LIMITS.attempts, BACKOFF.attempts),
    first_s: duration('retry.first_s', draft.firstDelay, POLICY_LIMITS.first_s, BACKOFF.first_s),
    factor: number('retry.factor', draft.multiplier, POLICY_LIMITS.factor, BACKOFF.factor),
    cap_s: duration('retry.cap_s', draft.maxDelay, POLICY_LIMITS.cap_s, BACKOFF.cap_s),
  });
  const delays = () => ({
    delays_s: valueOr('retry.delays_s', parseDurations(draft.delays, ...POLICY_LIMITS.delay_s), DELAYS),
  });
  const breaker = () => ({
    failures: integer('breaker.failures', draft.breakerFailures, POLICY_LIMITS.failures, BREAKER.failures),
    first_probe_s: duration(
      'breaker.first_probe_s',
      draft.firstProbe,
      POLICY_LIMITS.first_probe_s,
      BREAKER.first_probe_s,
    ),
    cap_s: duration('breaker.cap_s', draft.maxProbeInterval, POLICY_LIMITS.probe_cap_s, BREAKER.cap_s),
  });
  const policy: TargetPolicy = {
    ordering: draft.ordering,
    on_dead: draft.onDead,
    timeout_ms: Math.round(duration('timeout_ms', draft.timeout, TIMEOUT_LIMITS_S, 10) * 1_000),
    concurrency: integer(
      'concurrency',
      draft.concurrency,
      POLICY_LIMITS.concurrency,
      DEFAULT_POLICY.concurrency,
    ),
    rate:
      draft.rate.trim() === ''
        ? null
        : { limit: integer('rate.limit', draft.rate, POLICY_LIMITS.rate, 1), per: draft.ratePer },
    success: valueOr('success', parseStatuses(draft.success, 1), DEFAULT_POLICY.success),
    retry: draft.retryKind === 'delays' ? delays() : backoff(),
    jitter: number('jitter', draft.jitter, JITTER_LIMITS_PERCENT, 20) / 100,
    max_age_s: duration('max_age_s', draft.lifetime, POLICY_LIMITS.max_age_s, DEFAULT_POLICY.max_age_s),
    retry_on: {
      network: draft.retryNetwork,
      statuses: draft.retryAllStatuses
        ? DEFAULT_POLICY.retry_on.statuses
        : valueOr('retry_on.statuses', parseStatuses(draft.retryStatuses, 0), []),
    },
    retry_after_cap_s: duration(
      'retry_after_cap_s',
      draft.maxRetryAfter,
      POLICY_LIMITS.retry_after_cap_s,
      DEFAULT_POLICY.retry_after_cap_s,
    ),
    breaker: draft.hasBreaker ? breaker() : null,
    unknown_previous: draft.unknownPrevious,
    duplicates: draft.duplicates,
    synthetic: draft.synthetic,
  };
  return { policy, errors };
}
