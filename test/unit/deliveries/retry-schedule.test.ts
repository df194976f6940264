import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import * as fc from 'fast-check';
import { DEFAULT_POLICY, type TargetPolicy } from '../../../src/contract/target-policy';
import type { DueDelivery } from '../../../src/relay/database/journal';
import { decideResult, type AttemptContext } from '../../../src/relay/deliveries/sending/decide-result';
import { nameNetworkError } from '../../../src/relay/deliveries/sending/network-error';
import { longestPauseMs, retryDelayMs } from '../../../src/relay/deliveries/sending/retry-schedule';

const BUILT = resolve(__dirname, '../../../dist/relay/deliveries/sending/read-retry-after.js');
const SECOND = 1_000;
const HOUR_MS = 3_600_000;
const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('the retry schedule', () => {
  it('has eight attempts over about half a day by default, each pause longer than the one before', () => {
    fc.assert(
      fc.property(fc.array(fraction, { minLength: 7, maxLength: 7 }), (fractions) => {
        const delays = fractions.map((one, i) => retryDelayMs(DEFAULT_POLICY, i + 1, one)!);
        for (const [i, delay] of delays.entries()) expect(delay).toBeGreaterThan(delays[i - 1] ?? 0);
        const total = delays.reduce((sum, delay) => sum + delay, 0);
        expect(total).toBeGreaterThan(9 * HOUR_MS);
        expect(total).toBeLessThan(14 * HOUR_MS);
      }),
    );
    expect(retryDelayMs(DEFAULT_POLICY, 8, 0.5)).toBeNull();
  });

  it('follows a list, or grows by a factor up to a cap, for so many tries', () => {
    const listed = { retry: { delays_s: [1, 0.5, 60] }, jitter: 0 };
    expect([1, 2, 3, 4].map((tries) => retryDelayMs(listed, tries, 0.5))).toEqual([1_000, 500, 60_000, null]);
    const growing = { retry: { tries: 6, first_s: 2, factor: 3, cap_s: 30 }, jitter: 0 };
    expect([1, 2, 3, 4, 5, 6].map((tries) => retryDelayMs(growing, tries, 0.5))).toEqual([
      2_000,
      6_000,
      18_000,
      30_000,
      30_000,
      null,
    ]);
    expect(retryDelayMs({ retry: { delays_s: [] }, jitter: 0 }, 1, 0.5)).toBeNull();
  });

  it('leaves so much of each pause to chance as the policy says, either way', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 7 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fraction,
        (tries, jitter, one) => {
          const policy = { ...DEFAULT_POLICY, jitter };
          const middle = retryDelayMs({ ...policy, jitter: 0 }, tries, 0)!;
          expect(Math.abs(retryDelayMs(policy, tries, one)! - middle)).toBeLessThanOrEqual(
            middle * jitter + 1,
          );
        },
      ),
    );
    expect(retryDelayMs(DEFAULT_POLICY, 1, 0)).toBe(4_000);
    expect(retryDelayMs(DEFAULT_POLICY, 1, 0.999_999)).toBe(6_000);
  });
});

const due = (parts: Partial<DueDelivery> = {}): DueDelivery => ({
  key: { seq: 1, target: 1, n: 0 },
  class: 0,
  lane: null,
  attempts: 0,
  spared: 0,
  dueAt: 0,
  createdAt: 0,
  trigger: 'live',
  replayId: null,
  ...parts,
});
const outcome = (status: number | null, retryAfter: string | null = null) => ({
  status,
  error: status === null ? ('timeout' as const) : status < 300 ? null : ('http_status' as const),
  durationMs: 100,
  excerpt: null,
  retryAfter,
});
const policy = (parts: Partial<TargetPolicy> = {}): TargetPolicy => ({
  ...DEFAULT_POLICY,
  jitter: 0,
  ...parts,
});
const at = (parts: Partial<AttemptContext> = {}): AttemptContext => ({
  policy: policy(),
  startedAt: SECOND,
  endedLatest: (parts.startedAt ?? SECOND) + 100,
  fraction: 0.5,
  breakerOpen: false,
  ...parts,
});
const decide = (one: DueDelivery, status: number | null, parts: Partial<AttemptContext> = {}) =>
  decideResult(one, outcome(status), at(parts)).result;
const decideAsked = (retryAfter: string, parts: Partial<AttemptContext> = {}) =>
  decideResult(due(), outcome(503, retryAfter), at(parts)).result;

describe('the longest pause of a policy', () => {
  it('is that of its retries with all that is left to chance, or what it grants Retry-After', () => {
    expect(longestPauseMs(DEFAULT_POLICY)).toBe(28_800 * 1.2 * SECOND);
    const growing = { tries: 4, first_s: 10, factor: 3, cap_s: 60 };
    const parts = { retry: growing, jitter: 0, retry_after_cap_s: 0 };
    expect(longestPauseMs(parts)).toBe(60 * SECOND);
    expect(longestPauseMs({ ...parts, retry_after_cap_s: 600 })).toBe(600 * SECOND);
    expect(longestPauseMs({ ...parts, retry: { delays_s: [] } })).toBe(0);
  });
});

describe('the result of an attempt', () => {
  it('is done on success, due again after a failure, dead after the last try, with a sentence', () => {
    expect(decide(due(), 204)).toMatchObject({ state: 'succeeded', dueAt: null, note: null });
    expect(decide(due(), 500)).toMatchObject({ state: 'retrying', dueAt: 6_100, note: null });
    expect(decide(due({ attempts: 6 }), null)).toMatchObject({ state: 'retrying' });
    expect(decide(due({ attempts: 7 }), null)).toMatchObject({
      state: 'dead',
      dueAt: null,
      attempt: { number: 8 },
      note: 'The target did not answer in time at the last of 8 tries.',
    });
    const once = { policy: policy({ retry: { delays_s: [] } }) };
    expect(decide(due(), 404, once).note).toBe('The target answered 404 at the last of 1 try.');
  });

  it('is final for what the policy does not try again', () => {
    const only5xx = { policy: policy({ retry_on: { network: false, statuses: ['5xx', 429] } }) };
    expect(decide(due(), 404, only5xx)).toMatchObject({
      state: 'dead',
      note: 'The target answered 404, which is not tried again at this target.',
    });
    expect(decide(due(), null, only5xx).state).toBe('dead');
    expect(decide(due(), 429, only5xx).state).toBe('retrying');
    expect(decide(due(), 503, only5xx).state).toBe('retrying');
  });

  it('ends on 410, whatever tries are left, and takes the target with it', () => {
    const dead = { state: 'dead', dueAt: null, ending: 'gone', note: 'The target answered 410 Gone.' };
    for (const attempts of [0, 7, 20]) {
      const { result, gone } = decideResult(due({ attempts }), outcome(410), at());
      expect(result).toMatchObject({ ...dead, stopsLane: false });
      expect(gone).toBe(dead.note);
    }
    const stopping = at({ policy: policy({ on_dead: 'stop' }) });
    expect(decideResult(due({ lane: 'deal:1' }), outcome(410), stopping).result.stopsLane).toBe(true);
    expect(decideResult(due(), outcome(404), at()).gone).toBeNull();
  });

  it('counts no try that an open breaker spared', () => {
    const open = { breakerOpen: true };
    expect(decide(due({ attempts: 7 }), 503, open)).toMatchObject({
      state: 'retrying',
      dueAt: 1_100,
      spared: 1,
    });
    // What says nothing about an outage counts all the same.
    expect(decide(due({ attempts: 7 }), 404, open).state).toBe('dead');
    // Twelve attempts of which five were spared are seven tries.
    expect(decide(due({ attempts: 11, spared: 5 }), 503)).toMatchObject({ state: 'retrying', spared: 5 });
    expect(decide(due({ attempts: 12, spared: 5 }), 503).state).toBe('dead');
  });

  it('is put off by Retry-After, in seconds or as a date, never brought forward, and not beyond the cap', () => {
    expect(decideAsked('60').dueAt).toBe(1_100 + 60_000);
    expect(decideAsked('Thu, 01 Jan 1970 00:01:01 GMT').dueAt).toBe(61_000);
    expect(decideAsked('1').dueAt).toBe(6_100);
    expect(decideAsked('0').dueAt).toBe(6_100);
    expect(decideAsked('tomorrow').dueAt).toBe(6_100);
    expect(decideAsked('999999').dueAt).toBe(1_100 + HOUR_MS);
    expect(decideAsked('60', { policy: policy({ retry_after_cap_s: 20 }) }).dueAt).toBe(21_100);
    fc.assert(
      fc.property(fc.nat({ max: 10_000_000 }), (seconds) => {
        const { dueAt } = decideAsked(String(seconds));
        expect(dueAt).toBeGreaterThanOrEqual(6_100);
        expect(dueAt).toBeLessThanOrEqual(1_100 + HOUR_MS);
      }),
    );
  });

  it('takes for a date only what HTTP has for one, and an asctime date for UTC wherever it runs', () => {
    expect(decideAsked('Thu Jan  1 00:01:01 1970').dueAt).toBe(61_000);
    expect(decideAsked('Thursday, 01-Jan-70 00:01:01 GMT').dueAt).toBe(61_000);
    for (const text of ['1970-01-01T00:01:01Z', 'Jan 1 1970 00:01:01 GMT', '60.5', '-60'])
      expect(decideAsked(text).dueAt).toBe(6_100);
    const read = `require(${JSON.stringify(BUILT)}).readRetryAfter('Thu Jan  1 00:01:01 1970', 0)`;
    const env = { ...process.env, TZ: 'Asia/Tokyo' };
    expect(execFileSync(process.execPath, ['-p', read], { encoding: 'utf8', env }).trim()).toBe('61000');
  });

  it('is put off by Retry-After while the breaker is open too, never brought forward by it', () => {
    const open = { breakerOpen: true };
    expect(decideAsked('60', open)).toMatchObject({ dueAt: 61_100, spared: 1 });
    expect(decideAsked('Thu, 01 Jan 1970 00:00:00 GMT', open).dueAt).toBe(1_100);
  });

  it('stops its lane only where the policy says so, and only by dying', () => {
    const stop = { policy: policy({ on_dead: 'stop', retry: { delays_s: [] } }) };
    expect(decide(due({ lane: 'deal:1' }), 500, stop)).toMatchObject({ lane: 'deal:1', stopsLane: true });
    expect(decide(due(), 500, stop).stopsLane).toBe(false);
    expect(decide(due({ lane: 'deal:1' }), 200, stop).stopsLane).toBe(false);
    expect(
      decide(due({ lane: 'deal:1' }), 500, { policy: policy({ retry: { delays_s: [] } }) }),
    ).toMatchObject({
      state: 'dead',
      stopsLane: false,
    });
  });
});

const named = (code: string) => nameNetworkError(Object.assign(new Error('ECONNREFUSED timeout'), { code }));

it('a network failure is named by its code, whatever it says', () => {
  expect(named('ECONNREFUSED')).toBe('connection_refused');
  expect(named('ECONNRESET')).toBe('connection_reset');
  expect(named('EPIPE')).toBe('connection_reset');
  expect(named('UND_ERR_SOCKET')).toBe('connection_reset');
  expect(named('ENOTFOUND')).toBe('name_not_found');
  expect(named('EAI_AGAIN')).toBe('name_lookup_failed');
  expect(named('ETIMEDOUT')).toBe('timeout');
  expect(named('UND_ERR_CONNECT_TIMEOUT')).toBe('timeout');
  expect(named('UND_ERR_HEADERS_TIMEOUT')).toBe('timeout');
  expect(named('DEPTH_ZERO_SELF_SIGNED_CERT')).toBe('certificate_unknown');
  expect(named('CERT_HAS_EXPIRED')).toBe('certificate_expired');
  expect(named('ERR_TLS_CERT_ALTNAME_INVALID')).toBe('certificate_name');
  expect(named('ERR_SSL_WRONG_VERSION_NUMBER')).toBe('tls');
  expect(named('ERR_ADDRESS_DENIED')).toBe('address_denied');
  expect(named('ERR_OWN_INTAKE')).toBe('own_intake');
  expect(named('EHOSTUNREACH')).toBe('network');
  expect(nameNetworkError(new Error('ECONNREFUSED'))).toBe('network');
  const both = new AggregateError([Object.assign(new Error(), { code: 'ECONNREFUSED' })], '');
  expect(nameNetworkError(both)).toBe('connection_refused');
});
