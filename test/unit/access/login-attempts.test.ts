import { pino } from 'pino';
import { LoginAttempts } from '../../../src/relay/access/login-attempts';
import { RelayError } from '../../../src/relay/ground/relay-error';
import { clockAt } from '../../support/clock';

const WRONG = new RelayError('token_rejected', 401, 'Wrong.');

let now: number;
let logged: string[];
let attempts: LoginAttempts;
beforeEach(() => {
  now = 0;
  logged = [];
  attempts = new LoginAttempts(
    clockAt(() => now),
    pino({ base: null }, { write: (line) => void logged.push(line) }),
  );
});

const fail = (address: string, times = 1) => {
  let answer = WRONG;
  for (let i = 0; i < times; i += 1) answer = attempts.reject(address, 'bearer', WRONG);
  return answer;
};
/** Seconds to wait after a wrong token; null below the limit. */
const waitOf = (address: string) => {
  const answer = fail(address);
  return answer === WRONG ? null : [answer.status, answer.code, answer.retryAfterSeconds];
};
const wait = (seconds: number) => [429, 'too_many_attempts', seconds];

it('an address may fail ten times in any minute', () => {
  fail('192.0.2.1', 5);
  now = 30_000;
  expect(fail('192.0.2.1', 5)).toBe(WRONG);
  expect(waitOf('192.0.2.1')).toEqual(wait(30));
  now = 59_999;
  expect(waitOf('192.0.2.1')).toEqual(wait(1));
  now = 60_000;
  expect(waitOf('192.0.2.1')).toBeNull();
});

it('attempts above the limit are neither counted nor logged', () => {
  jest.useFakeTimers();
  fail('192.0.2.1', 1_000);
  expect(logged).toHaveLength(1);
  jest.runAllTimers();
  jest.useRealTimers();
  expect(logged.slice(1).map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ remote: '192.0.2.1', count: 9 }),
  ]);
  now = 60_000;
  expect(waitOf('192.0.2.1')).toBeNull();
});

it('other addresses are not limited', () => {
  fail('192.0.2.1', 10);
  expect(waitOf('192.0.2.2')).toBeNull();
});

it('a whole /64 of IPv6 counts as one address, and an IPv4 address as itself in any notation', () => {
  fail('2001:db8:1:2::1', 5);
  fail('2001:db8:1:2:ffff::9', 5);
  expect(waitOf('2001:db8:1:2::77')).toEqual(wait(60));
  expect(waitOf('2001:db8:1:3::1')).toBeNull();
  fail('::ffff:192.0.2.1', 10);
  expect(waitOf('192.0.2.1')).toEqual(wait(60));
  expect(waitOf('::ffff:192.0.2.2')).toBeNull();
});

it('a successful login resets the count', () => {
  fail('192.0.2.1', 9);
  attempts.clear('192.0.2.1');
  expect(fail('192.0.2.1', 10)).toBe(WRONG);
});

it('the number of remembered addresses is limited', () => {
  fail('192.0.2.1', 10);
  for (let i = 0; i < 10_000; i += 1) fail(`10.0.${i >> 8}.${i & 255}`);
  expect(waitOf('192.0.2.1')).toBeNull();
});
