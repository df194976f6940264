import * as fc from 'fast-check';
import { DEFAULT_POLICY } from '../../../src/contract/default-policy';
import { targetPolicyChanges, type TargetPolicy } from '../../../src/contract/target-policy';
import { toPolicyDraft, parsePolicy } from '../../../ui/src/features/target-form/policy-draft';
import { formatDuration, parseDuration } from '../../../ui/src/format/duration';
import { describeSchedule, describeAttempts } from '../../../ui/src/labels/schedule-labels';

const tenths = (min: number, max: number) =>
  fc.integer({ min: min * 10, max: max * 10 }).map((value) => value / 10);
const status = fc.oneof(fc.integer({ min: 100, max: 599 }), fc.constantFrom('2xx', '3xx', '4xx', '5xx'));

const policies: fc.Arbitrary<TargetPolicy> = fc.record({
  ordering: fc.constantFrom('none', 'entity', 'strict'),
  on_dead: fc.constantFrom('continue', 'stop'),
  timeout_ms: fc.integer({ min: 1, max: 60 }).map((value) => value * 1_000),
  concurrency: fc.integer({ min: 1, max: 64 }),
  rate: fc.option(
    fc.record({
      limit: fc.integer({ min: 1, max: 100_000 }),
      per: fc.constantFrom('second' as const, 'minute' as const),
    }),
  ),
  success: fc.array(status, { minLength: 1, maxLength: 5 }),
  retry: fc.oneof(
    fc.record({ delays_s: fc.array(tenths(0.1, 2_592_000), { maxLength: 10 }) }),
    fc.record({
      attempts: fc.integer({ min: 1, max: 100 }),
      first_s: tenths(0.1, 86_400),
      factor: tenths(1, 10),
      cap_s: tenths(1, 2_592_000),
    }),
  ),
  jitter: fc.integer({ min: 0, max: 100 }).map((value) => value / 100),
  max_age_s: tenths(60, 7_776_000),
  retry_on: fc.record({
    network: fc.boolean(),
    statuses: fc.array(fc.integer({ min: 100, max: 599 }), { maxLength: 5 }),
  }),
  retry_after_cap_s: tenths(0, 604_800),
  breaker: fc.option(
    fc.record({
      failures: fc.integer({ min: 1, max: 1_000 }),
      first_probe_s: tenths(0.1, 86_400),
      cap_s: tenths(1, 86_400),
    }),
  ),
  unknown_previous: fc.constantFrom('send', 'skip'),
  duplicates: fc.constantFrom('hold', 'deliver'),
  synthetic: fc.constantFrom('deliver', 'skip'),
});

describe('the form of a target', () => {
  it('returns any policy unchanged and valid for the daemon', () => {
    fc.assert(
      fc.property(policies, (policy) => {
        const read = parsePolicy(toPolicyDraft(policy));
        expect(read).toEqual({ policy, errors: [] });
        expect(targetPolicyChanges.safeParse(read.policy).success).toBe(true);
      }),
    );
  });

  it('reports invalid fields by the path that the API uses', () => {
    const draft = toPolicyDraft(DEFAULT_POLICY);
    const { errors } = parsePolicy({
      ...draft,
      timeout: '5 years',
      concurrency: '65',
      rate: 'fast',
      success: '2xx, 600',
      delays: '5 s, 40 d',
      maxProbeInterval: '',
    });
    expect(errors.map(({ path }) => path).toSorted()).toEqual([
      'policy.breaker.cap_s',
      'policy.concurrency',
      'policy.rate.limit',
      'policy.retry.delays_s',
      'policy.success',
      'policy.timeout_ms',
    ]);
  });
});

describe('durations', () => {
  it.each([
    ['45 min', 2_700],
    ['2.5h', 9_000],
    ['90', 90],
    ['1 day', 86_400],
    ['0.1 s', 0.1],
  ])('%s is read', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds);
  });

  it.each(['', 'soon', '5 years', '-1 s', '1,5 h'])('"%s" is not valid', (text) => {
    expect(parseDuration(text)).toBeNull();
  });

  it('are formatted so that parsing returns the same value', () => {
    fc.assert(
      fc.property(tenths(0.1, 8_000_000), (seconds) => {
        expect(parseDuration(formatDuration(seconds))).toBeCloseTo(seconds, 3);
      }),
    );
  });
});

const schedule = (changes: Partial<TargetPolicy>) => ({ ...DEFAULT_POLICY, ...changes });

describe('the description of a retry schedule', () => {
  it('contains the number of attempts, the total time and each delay', () => {
    expect(describeSchedule(DEFAULT_POLICY)).toBe(
      '8 attempts over about 12 h: immediately, then after 5 s, 30 s, 3 min, 15 min, 45 min, 2.5 h and 8 h. Each delay varies randomly by up to 20%, so that deliveries that failed together are not retried together.',
    );
  });

  it('contains growing delays, and combines equal ones', () => {
    const retry = { attempts: 7, first_s: 10, factor: 3, cap_s: 300 };
    expect(describeSchedule(schedule({ retry, jitter: 0 }))).toBe(
      '7 attempts over about 17 min: immediately, then after 10 s, 30 s, 1.5 min, 4.5 min and 5 min (2 times). No jitter.',
    );
  });

  it('omits attempts after the lifetime', () => {
    expect(describeAttempts(schedule({ max_age_s: 3_600 }))).toBe('5 attempts over about 19 min');
  });

  it('covers a single attempt', () => {
    expect(describeSchedule(schedule({ retry: { delays_s: [] } }))).toBe('One attempt, no retries.');
  });
});
