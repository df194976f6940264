import * as fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { DENIED_RANGES } from '../../../src/contract/denied-ranges';
import { AddressRules } from '../../../src/relay/targets/address-rules';

const DENIED = Object.values(DENIED_RANGES).flat();

describe('the address policy', () => {
  const policy = new AddressRules(['0.0.0.0/0', '::/0'], DENIED);
  const v4 = fc.ipV4();

  it('treats every notation of an IPv4 address alike', () => {
    fc.assert(
      fc.property(v4, (address) => {
        const [a, b, c, d] = ipaddr.IPv4.parse(address).octets as [number, number, number, number];
        const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
        const inverted = `${((a << 8) ^ b ^ 0xffff).toString(16)}:${((c << 8) ^ d ^ 0xffff).toString(16)}`;
        const notations = [
          `::ffff:${address}`,
          `::ffff:${hex}`,
          `64:ff9b::${address}`,
          `64:ff9b::${hex}`,
          `64:ff9b:1::${address}`,
          `::ffff:0:${address}`,
          `2002:${hex}::1`,
          `2001::8000:f227:${inverted}`,
          // Below 0.0.0.2 they are the unspecified address and the loopback of IPv6.
          ...(((a << 24) | (b << 16) | (c << 8) | d) >>> 0 > 1 ? [`::${address}`] : []),
        ];
        const permitted = policy.permits(address);
        expect(notations.map((one) => policy.permits(one))).toEqual(notations.map(() => permitted));
      }),
    );
  });

  it('denies addresses that are denied, even if they are also allowed, and those that are not allowed', () => {
    fc.assert(
      fc.property(v4, fc.integer({ min: 0, max: 32 }), (address, bits) => {
        const network = `${address}/${bits}`;
        expect(new AddressRules(['0.0.0.0/0'], [network]).permits(address)).toBe(false);
        expect(new AddressRules([network], []).permits(address)).toBe(true);
        expect(new AddressRules([network], [`${address}/32`]).permits(address)).toBe(false);
        expect(new AddressRules(['::/0'], []).permits(address)).toBe(false);
      }),
    );
    expect(policy.permits('no address')).toBe(false);
  });

  it.each([
    '169.254.169.254',
    'fe80::1',
    '224.0.0.1',
    'ff02::1',
    '0.0.0.0',
    '::',
    '100.100.100.200',
    '168.63.129.16',
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd20:ce::254',
    'fd00:c1::a9fe:a9fe',
    'fd00:a9fe:a9fe::1',
    'fd00:42::42',
    // The metadata services of Alibaba, Azure and Oracle by NAT64 and 6to4.
    '64:ff9b::6464:64c8',
    '2002:6464:64c8::',
    '64:ff9b::a83f:8110',
    '2002:a83f:8110::1',
    '64:ff9b::c000:c0',
    '2002:c000:c0::1',
    '::ffff:168.63.129.16',
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '192.88.99.1',
    '2001:2::1',
    '2001:10::1',
    '2001:20::1',
    '2001:db8::1',
    '3fff::1',
    '100::1',
    '100:0:0:1::1',
    '5f00::1',
    '192.0.0.192',
    'fec0::1',
    '240.0.0.1',
    '255.255.255.255',
    '64:ff9b:1::a9fe:a9fe',
    '::a9fe:a9fe',
    '::ffff:0:a9fe:a9fe',
    '2002:a9fe:a9fe::',
    '2001:0:4136:e378:8000:63bf:5601:5601',
  ])('denies %s by default', (address) => expect(policy.permits(address)).toBe(false));

  it.each(['127.0.0.1', '::1', '10.0.0.1', '192.168.0.1', 'fd12::1', '93.184.216.34', '2606:2800:220:1::1'])(
    'permits %s by default',
    (address) => expect(policy.permits(address)).toBe(true),
  );
});

const denialReasons = (policy: AddressRules, addresses: string[]) => [
  ...new Set(addresses.map((address) => policy.denialReason(address))),
];

describe('an address policy that allows public addresses', () => {
  const PRIVATE_ADDRESSES = [
    '127.0.0.1',
    '::1',
    '10.0.0.1',
    '172.31.0.1',
    '192.168.0.1',
    '100.64.0.1',
    'fd12::1',
    '::127.0.0.1',
  ];
  const PUBLIC_ADDRESSES = ['93.184.216.34', '2606:2800:220:1::1', '172.32.0.1', '2002:5db8:d822::1'];
  it('denies private networks and this machine, with the reason private', () => {
    const policy = new AddressRules(['public'], DENIED);
    expect(denialReasons(policy, PRIVATE_ADDRESSES)).toEqual(['private']);
    expect(denialReasons(policy, PUBLIC_ADDRESSES)).toEqual([null]);
    expect(policy.denialReason('169.254.169.254')).toBe('denied');
  });

  it('also permits the private networks that are listed', () => {
    const some = new AddressRules(['public', '10.0.0.0/8'], DENIED);
    expect([some.denialReason('10.0.0.1'), some.denialReason('192.168.0.1')]).toEqual([null, 'private']);
    const all = new AddressRules(['public', 'private'], DENIED);
    expect(denialReasons(all, [...PRIVATE_ADDRESSES, ...PUBLIC_ADDRESSES])).toEqual([null]);
  });
});
