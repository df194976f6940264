import * as fc from 'fast-check';
import type { DueDelivery } from '../../src/relay/database/journal';
import { decideResult } from '../../src/relay/deliveries/decide-result';
import { nameNetworkError } from '../../src/relay/deliveries/name-network-error';
import { retryDelayMs } from '../../src/relay/deliveries/retry-schedule';

const HOUR_MS = 3_600_000;
const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('the retry schedule', () => {
  it('has eight attempts over about half a day, each pause longer than the one before', () => {
    fc.assert(
      fc.property(fc.array(fraction, { minLength: 7, maxLength: 7 }), (fractions) => {
        const delays = fractions.map((one, i) => retryDelayMs(i + 1, one)!);
        for (const [i, delay] of delays.entries()) expect(delay).toBeGreaterThan(delays[i - 1] ?? 0);
        const total = delays.reduce((sum, delay) => sum + delay, 0);
        expect(total).toBeGreaterThan(9 * HOUR_MS);
        expect(total).toBeLessThan(14 * HOUR_MS);
      }),
    );
    expect(retryDelayMs(8, 0.5)).toBeNull();
  });

  it('spreads what failed together by a fifth either way', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7 }), fraction, (attempts, one) => {
        const middle = retryDelayMs(attempts, 0.5)!;
        expect(Math.abs(retryDelayMs(attempts, one)! - middle)).toBeLessThanOrEqual(middle * 0.2 + 1);
      }),
    );
    expect(retryDelayMs(1, 0)).toBe(4_000);
    expect(retryDelayMs(1, 0.999_999)).toBe(6_000);
  });
});

const due = (attempts: number): DueDelivery => ({
  key: { seq: 1, target: 1, n: 0 },
  attempts,
  dueAt: 0,
  createdAt: 0,
  trigger: 'live',
  replayId: null,
});
const outcome = (status: number | null) => ({
  status,
  error: status === null ? ('timeout' as const) : status < 300 ? null : ('http_status' as const),
  durationMs: 100,
  excerpt: null,
  retryAfter: null,
});

describe('the result of an attempt', () => {
  it('is done on success, due again after a failure, dead after the eighth', () => {
    expect(decideResult(due(0), outcome(204), 1_000, 0.5)).toMatchObject({
      result: { state: 'succeeded', dueAt: null },
      pause: null,
    });
    expect(decideResult(due(0), outcome(500), 1_000, 0.5)).toMatchObject({
      result: { state: 'retrying', dueAt: 6_100 },
      pause: null,
    });
    expect(decideResult(due(6), outcome(null), 1_000, 0.5).result.state).toBe('retrying');
    expect(decideResult(due(7), outcome(null), 1_000, 0.5)).toMatchObject({
      result: { state: 'dead', dueAt: null, attempt: { number: 8 } },
    });
  });

  it('pauses the target on 410, and never lets the delivery die of it', () => {
    for (const attempts of [0, 7, 20]) {
      const { result, pause } = decideResult(due(attempts), outcome(410), 1_000, 0.5);
      expect(result).toMatchObject({ state: 'retrying', dueAt: 1_100 });
      expect(pause).toMatch(/410/);
    }
  });
});

const named = (code: string) => nameNetworkError(Object.assign(new Error('ECONNREFUSED timeout'), { code }));

it('a network failure is named by its code, whatever it says', () => {
  expect(named('ECONNREFUSED')).toBe('connection_refused');
  expect(named('ECONNRESET')).toBe('connection_reset');
  expect(named('EPIPE')).toBe('connection_reset');
  expect(named('UND_ERR_SOCKET')).toBe('connection_reset');
  expect(named('ENOTFOUND')).toBe('name_not_found');
  expect(named('EAI_AGAIN')).toBe('name_not_found');
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
