import { LoginAttempts } from '../../../src/relay/access/login-attempts';
import { clockAt } from '../../harness/moved-clock';

let now: number;
let attempts: LoginAttempts;
beforeEach(() => {
  now = 0;
  attempts = new LoginAttempts(clockAt(() => now));
});

const fail = (address: string, times: number) => {
  for (let i = 0; i < times; i += 1) attempts.failed(address);
};

it('an address may fail ten times in any minute', () => {
  fail('192.0.2.1', 5);
  now = 30_000;
  fail('192.0.2.1', 4);
  expect(attempts.waitSeconds('192.0.2.1')).toBe(0);
  fail('192.0.2.1', 1);
  expect(attempts.waitSeconds('192.0.2.1')).toBe(30);
  now = 59_999;
  expect(attempts.waitSeconds('192.0.2.1')).toBe(1);
  now = 60_000;
  expect(attempts.waitSeconds('192.0.2.1')).toBe(0);
});

it('other addresses are not made to wait', () => {
  fail('192.0.2.1', 10);
  expect(attempts.waitSeconds('192.0.2.2')).toBe(0);
});

it('a whole /64 of IPv6 counts as one address, and an IPv4 address as itself however it is written', () => {
  fail('2001:db8:1:2::1', 5);
  fail('2001:db8:1:2:ffff::9', 5);
  expect(attempts.waitSeconds('2001:db8:1:2::77')).toBeGreaterThan(0);
  expect(attempts.waitSeconds('2001:db8:1:3::1')).toBe(0);
  fail('::ffff:192.0.2.1', 10);
  expect(attempts.waitSeconds('192.0.2.1')).toBeGreaterThan(0);
  expect(attempts.waitSeconds('::ffff:192.0.2.2')).toBe(0);
});

it('getting in wipes the slate', () => {
  fail('192.0.2.1', 9);
  attempts.succeeded('192.0.2.1');
  fail('192.0.2.1', 9);
  expect(attempts.waitSeconds('192.0.2.1')).toBe(0);
});

it('what is remembered has a bound', () => {
  fail('192.0.2.1', 10);
  for (let i = 0; i < 10_000; i += 1) attempts.failed(`10.0.${i >> 8}.${i & 255}`);
  expect(attempts.waitSeconds('192.0.2.1')).toBe(0);
  fail('192.0.2.1', 10);
  expect(attempts.waitSeconds('192.0.2.1')).toBe(60);
});
