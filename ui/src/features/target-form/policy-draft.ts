import type { TargetPolicy } from '../../../../src/contract/target-policy';
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
  /** Empty: as fast as it answers. */
  rate: string;
  ratePer: 'second' | 'minute';
  success: string;
  retryKind: 'list' | 'growing';
  delays: string;
  tries: string;
  first: string;
  factor: string;
  cap: string;
  jitter: string;
  maxAge: string;
  retryNetwork: boolean;
  retryAll: boolean;
  retryStatuses: string;
  retryAfterCap: string;
  hasBreaker: boolean;
  failures: string;
  firstProbe: string;
  probeCap: string;
  duplicates: TargetPolicy['duplicates'];
}

export interface FieldError {
  path: string;
  message: string;
}

/** The default policy; a test keeps it equal to the daemon's. */
export const DEFAULT_POLICY: TargetPolicy = {
  ordering: 'none',
  on_dead: 'go_on',
  timeout_ms: 10_000,
  concurrency: 16,
  rate: null,
  success: ['2xx'],
  retry: { delays_s: [5, 30, 180, 900, 2_700, 9_000, 28_800] },
  jitter: 0.2,
  max_age_s: 432_000,
  retry_on: { network: true, statuses: ['2xx', '3xx', '4xx', '5xx'] },
  retry_after_cap_s: 3_600,
  breaker: { failures: 5, first_probe_s: 5, cap_s: 300 },
  duplicates: 'hold',
};

const GROWING = { tries: 10, first_s: 5, factor: 3, cap_s: 21_600 };
const BREAKER = { failures: 5, first_probe_s: 5, cap_s: 300 };
const DELAYS = [5, 30, 180, 900, 2_700, 9_000, 28_800];
const DAY_S = 86_400;

/** A policy as it stands in the form's fields; what it leaves open holds a good beginning. */
export function toPolicyDraft(policy: TargetPolicy): PolicyDraft {
  const { rate, retry, retry_on, breaker } = policy;
  const growing = 'tries' in retry ? retry : GROWING;
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
    retryKind: 'tries' in retry ? 'growing' : 'list',
    delays: ('delays_s' in retry ? retry.delays_s : DELAYS).map(formatDuration).join(', '),
    tries: String(growing.tries),
    first: formatDuration(growing.first_s),
    factor: String(growing.factor),
    cap: formatDuration(growing.cap_s),
    jitter: String(Math.round(policy.jitter * 1_000) / 10),
    maxAge: formatDuration(policy.max_age_s),
    retryNetwork: retry_on.network,
    retryAll: all,
    retryStatuses: all ? '408, 429, 5xx' : formatStatuses(retry_on.statuses),
    retryAfterCap: formatDuration(policy.retry_after_cap_s),
    hasBreaker: breaker !== null,
    failures: String(failures),
    firstProbe: formatDuration(first_probe_s),
    probeCap: formatDuration(cap_s),
    duplicates: policy.duplicates,
  };
}

/**
 * Parses the fields. Errors carry the path that the API would use; their fields keep the default in
 * `policy`, which must not be sent then.
 */
export function parsePolicy(draft: PolicyDraft): { policy: TargetPolicy; errors: FieldError[] } {
  const errors: FieldError[] = [];
  const take = <Value>(path: string, result: ParseResult<Value>, otherwise: Value): Value => {
    if ('value' in result) return result.value;
    errors.push({ path: `policy.${path}`, message: result.error });
    return otherwise;
  };
  const span = (path: string, text: string, min: number, max: number, otherwise: number) =>
    take(path, parseDurationField(text, min, max), otherwise);
  const number = (path: string, text: string, min: number, max: number, otherwise: number, whole = true) =>
    take(path, parseNumber(text, min, max, whole), otherwise);

  const growing = () => ({
    tries: number('retry.tries', draft.tries, 1, 100, GROWING.tries),
    first_s: span('retry.first_s', draft.first, 0.1, DAY_S, GROWING.first_s),
    factor: number('retry.factor', draft.factor, 1, 10, GROWING.factor, false),
    cap_s: span('retry.cap_s', draft.cap, 1, 30 * DAY_S, GROWING.cap_s),
  });
  const list = () => ({
    delays_s: take('retry.delays_s', parseDurations(draft.delays, 0.1, 30 * DAY_S), DELAYS),
  });
  const breaker = () => ({
    failures: number('breaker.failures', draft.failures, 1, 1_000, BREAKER.failures),
    first_probe_s: span('breaker.first_probe_s', draft.firstProbe, 0.1, DAY_S, BREAKER.first_probe_s),
    cap_s: span('breaker.cap_s', draft.probeCap, 1, DAY_S, BREAKER.cap_s),
  });
  const policy: TargetPolicy = {
    ordering: draft.ordering,
    on_dead: draft.onDead,
    timeout_ms: Math.round(span('timeout_ms', draft.timeout, 1, 60, 10) * 1_000),
    concurrency: number('concurrency', draft.concurrency, 1, 64, DEFAULT_POLICY.concurrency),
    rate:
      draft.rate.trim() === ''
        ? null
        : { limit: number('rate.limit', draft.rate, 1, 100_000, 1), per: draft.ratePer },
    success: take('success', parseStatuses(draft.success, 1), DEFAULT_POLICY.success),
    retry: draft.retryKind === 'list' ? list() : growing(),
    jitter: number('jitter', draft.jitter, 0, 100, 20, false) / 100,
    max_age_s: span('max_age_s', draft.maxAge, 60, 90 * DAY_S, DEFAULT_POLICY.max_age_s),
    retry_on: {
      network: draft.retryNetwork,
      statuses: draft.retryAll
        ? DEFAULT_POLICY.retry_on.statuses
        : take('retry_on.statuses', parseStatuses(draft.retryStatuses, 0), []),
    },
    retry_after_cap_s: span('retry_after_cap_s', draft.retryAfterCap, 0, 7 * DAY_S, 3_600),
    breaker: draft.hasBreaker ? breaker() : null,
    duplicates: draft.duplicates,
  };
  return { policy, errors };
}
