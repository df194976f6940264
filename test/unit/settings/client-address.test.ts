import type { IncomingMessage } from 'node:http';
import * as fc from 'fast-check';
import { ClientAddress } from '../../../src/relay/settings/client-address';

const PROXIES = ['127.0.0.1/32', '10.0.0.0/8', 'fd00::/8'];

const asking = (remoteAddress: string, headers: Record<string, string>) =>
  ({ headers, socket: { remoteAddress } }) as unknown as Pick<IncomingMessage, 'headers' | 'socket'>;
const of = (remote: string, headers: Record<string, string>, trusted = PROXIES) =>
  new ClientAddress(trusted).of(asking(remote, headers));

const forwarded = (peer: string) => new ClientAddress(PROXIES, () => peer);

describe('the client address of a request', () => {
  it('is that of the connection without a trusted proxy', () => {
    const headers = { 'x-forwarded-for': '192.0.2.1', forwarded: 'for=192.0.2.1' };
    expect(of('127.0.0.1', headers, [])).toBe('127.0.0.1');
    expect(of('198.51.100.7', headers)).toBe('198.51.100.7');
    expect(of('::ffff:198.51.100.7', {})).toBe('198.51.100.7');
  });

  it('is the one that another daemon saw, or unknown if that is not believed', () => {
    const request = asking('10.0.0.9', { 'x-forwarded-for': '192.0.2.1' });
    expect(forwarded('198.51.100.7').of(request)).toBe('198.51.100.7');
    expect(forwarded('10.0.0.1').of(request)).toBe('192.0.2.1');
    expect(forwarded('unknown').of(request)).toBe('unknown');
    expect(forwarded('unknown').isFromProxy(request)).toBe(false);
  });

  it.each([
    ['one proxy', { 'x-forwarded-for': '192.0.2.1' }, '192.0.2.1'],
    ['two proxies', { 'x-forwarded-for': '192.0.2.1, 10.1.2.3' }, '192.0.2.1'],
    [
      'an address forged by the client',
      { 'x-forwarded-for': '10.9.9.9, 203.0.113.5,192.0.2.1 ,10.1.2.3' },
      '192.0.2.1',
    ],
    ['a port', { 'x-forwarded-for': '192.0.2.1:4711' }, '192.0.2.1'],
    ['IPv6', { 'x-forwarded-for': '2001:db8::1, [fd00::2]:443' }, '2001:db8::1'],
    ['IPv6 with a port', { 'x-forwarded-for': '[2001:DB8::1]:4711' }, '2001:db8::1'],
    ['an IPv4 address within IPv6', { 'x-forwarded-for': '::ffff:192.0.2.1' }, '192.0.2.1'],
    ['only proxies', { 'x-forwarded-for': '10.0.0.1, 10.0.0.2' }, '10.0.0.1'],
    ['no address', { 'x-forwarded-for': '192.0.2.1, unknown' }, '127.0.0.1'],
    ['nothing', {}, '127.0.0.1'],
    ['Forwarded', { forwarded: 'for=192.0.2.1;proto=https' }, '192.0.2.1'],
    [
      'Forwarded, quoted',
      { forwarded: 'proto=https; For="[2001:db8::1]:4711", for=10.0.0.1' },
      '2001:db8::1',
    ],
    ['Forwarded, hidden', { forwarded: 'for=192.0.2.1, for=_gazonk' }, '127.0.0.1'],
    [
      'both headers, in agreement',
      { forwarded: 'for=192.0.2.1', 'x-forwarded-for': '192.0.2.1' },
      '192.0.2.1',
    ],
    [
      'both headers, one of them forged',
      { forwarded: 'for=203.0.113.5', 'x-forwarded-for': '192.0.2.1' },
      '127.0.0.1',
    ],
  ])('is what a trusted proxy forwards: %s', (_, headers, expected) => {
    expect(of('127.0.0.1', headers)).toBe(expected);
  });

  it('cannot be chosen by a client through either header', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (list, other) => {
        const appended = { 'x-forwarded-for': `${list}, 192.0.2.1` };
        expect(of('127.0.0.1', appended)).toBe('192.0.2.1');
        expect(['192.0.2.1', '127.0.0.1']).toContain(of('127.0.0.1', { ...appended, forwarded: other }));
      }),
    );
  });
});
