import { checkTrustedProxies } from '../../../src/relay/settings/check-trusted-proxies';

const HEADERS = { user: 'remote-user', role: 'remote-role' };
const check =
  (range: string, daemons: string[], userHeaders: typeof HEADERS | null = HEADERS) =>
  () =>
    checkTrustedProxies({ trustedProxies: [range], userHeaders }, daemons);

describe('trusted proxies that can name users', () => {
  it.each([
    ['10.0.0.0/8', '10.0.0.6'],
    ['10.0.0.0/8', '::ffff:10.0.0.6'],
    ['fd00::/64', 'fd00::6'],
    ['0.0.0.0/0', '203.0.113.6'],
  ])('cannot be a range (%s) that includes a daemon (%s)', (range, daemon) => {
    expect(check(range, ['127.0.0.1', daemon])).toThrow('includes a daemon');
    expect(check(range, ['127.0.0.1', daemon], null)).not.toThrow();
  });

  it('may be a single address, loopback, or a range without daemons', () => {
    expect(check('10.0.0.6/32', ['10.0.0.6'])).not.toThrow();
    expect(check('fd00::6/128', ['fd00::6'])).not.toThrow();
    expect(check('127.0.0.0/8', ['127.0.0.1'])).not.toThrow();
    expect(check('::1/128', ['::1', '127.0.0.1'])).not.toThrow();
    expect(check('10.0.0.0/24', ['10.0.1.6', 'fd00::6'])).not.toThrow();
  });
});
