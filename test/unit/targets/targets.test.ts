import * as fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { systemClock } from '../../../src/relay/ground/clock';
import { HostAddresses } from '../../../src/relay/network/host-addresses';
import { DEFAULT_TARGET_DENY, readSettings } from '../../../src/relay/settings/read-settings';
import { PublicAddress } from '../../../src/relay/settings/public-address';
import { ADDRESS_DENIED, AddressGuard, OWN_INTAKE } from '../../../src/relay/targets/address-guard';
import { AddressPolicy } from '../../../src/relay/targets/address-policy';
import { eventMatcher } from '../../../src/relay/targets/match-event';

const accepts = (globs: string[], event: string) => eventMatcher(globs)({ type: event });

describe('what a target accepts', () => {
  /** Character by character, with no regular expression in it. */
  const fits = (glob: string, type: string): boolean => {
    if (glob === '') return type === '';
    if (glob[0] !== '*') return glob[0] === type[0] && fits(glob.slice(1), type.slice(1));
    return fits(glob.slice(1), type) || (type !== '' && fits(glob, type.slice(1)));
  };
  const glob = fc.stringMatching(/^[ab._*-]{1,6}$/);
  const type = fc.stringMatching(/^[ab._-]{1,8}$/);

  it('is what its globs say', () => {
    fc.assert(
      fc.property(fc.array(glob, { minLength: 1, maxLength: 3 }), type, (globs, event) => {
        const expected = globs.some((one) => fits(one, event));
        expect(eventMatcher(globs)({ type: event })).toBe(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is a type of any characters, and the case of letters counts', () => {
    expect(accepts(['deal.*'], 'deal.\n')).toBe(true);
    expect(accepts(['deal.*'], 'dealX')).toBe(false);
    expect(accepts(['deal.created'], 'Deal.created')).toBe(false);
    expect(accepts(['deal'], 'deal.created')).toBe(false);
    expect(accepts(['created'], 'deal.created')).toBe(false);
  });

  it('is told at once, however many stars a glob has', () => {
    const starred = eventMatcher([`${'a*'.repeat(40)}b`]);
    const began = performance.now();
    expect(starred({ type: 'a'.repeat(2_000) })).toBe(false);
    expect(performance.now() - began).toBeLessThan(100);
  });

  it('is what cannot be read only where everything is', () => {
    const unreadable = { type: 'unreadable' };
    for (const globs of [['**'], ['unreadable'], ['*.*', 'u*'], ['un*', 'deal.*']]) {
      expect(eventMatcher(globs)(unreadable)).toBe(false);
    }
    expect(eventMatcher(['deal.*', '*'])(unreadable)).toBe(true);
  });
});

describe('the policy of addresses', () => {
  const policy = new AddressPolicy(['0.0.0.0/0', '::/0'], DEFAULT_TARGET_DENY);
  const v4 = fc.ipV4();

  it('judges every spelling of an IPv4 address alike', () => {
    fc.assert(
      fc.property(v4, (address) => {
        const [a, b, c, d] = ipaddr.IPv4.parse(address).octets as [number, number, number, number];
        const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
        const inverted = `${((a << 8) ^ b ^ 0xffff).toString(16)}:${((c << 8) ^ d ^ 0xffff).toString(16)}`;
        const spelled = [
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
        expect(spelled.map((one) => policy.permits(one))).toEqual(spelled.map(() => permitted));
      }),
    );
  });

  it('denies what is denied, whatever else is allowed, and allows nothing that is not', () => {
    fc.assert(
      fc.property(v4, fc.integer({ min: 0, max: 32 }), (address, bits) => {
        const network = `${address}/${bits}`;
        expect(new AddressPolicy(['0.0.0.0/0'], [network]).permits(address)).toBe(false);
        expect(new AddressPolicy([network], []).permits(address)).toBe(true);
        expect(new AddressPolicy([network], [`${address}/32`]).permits(address)).toBe(false);
        expect(new AddressPolicy(['::/0'], []).permits(address)).toBe(false);
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
    'fd20:ce::254',
    '192.0.0.192',
    'fec0::1',
    '240.0.0.1',
    '255.255.255.255',
    '64:ff9b:1::a9fe:a9fe',
    '::a9fe:a9fe',
    '::ffff:0:a9fe:a9fe',
    '2002:a9fe:a9fe::',
    '2001:0:4136:e378:8000:63bf:5601:5601',
  ])('denies %s unless told', (address) => expect(policy.permits(address)).toBe(false));

  it.each(['127.0.0.1', '::1', '10.0.0.1', '192.168.0.1', 'fd12::1', '93.184.216.34', '2606:2800:220:1::1'])(
    'permits %s unless told',
    (address) => expect(policy.permits(address)).toBe(true),
  );
});

const refusals = (policy: AddressPolicy, addresses: string[]) => [
  ...new Set(addresses.map((address) => policy.refusal(address))),
];

describe('a policy that allows what is public', () => {
  const INSIDE = [
    '127.0.0.1',
    '::1',
    '10.0.0.1',
    '172.31.0.1',
    '192.168.0.1',
    '100.64.0.1',
    'fd12::1',
    '::127.0.0.1',
  ];
  const OUTSIDE = ['93.184.216.34', '2606:2800:220:1::1', '172.32.0.1', '2002:5db8:d822::1'];
  it('refuses private networks and this machine, and names them for what they are', () => {
    const policy = new AddressPolicy(['public'], DEFAULT_TARGET_DENY);
    expect(refusals(policy, INSIDE)).toEqual(['private']);
    expect(refusals(policy, OUTSIDE)).toEqual([null]);
    expect(policy.refusal('169.254.169.254')).toBe('denied');
  });

  it('permits of them what is named beside it', () => {
    const some = new AddressPolicy(['public', '10.0.0.0/8'], DEFAULT_TARGET_DENY);
    expect([some.refusal('10.0.0.1'), some.refusal('192.168.0.1')]).toEqual([null, 'private']);
    const all = new AddressPolicy(['public', 'private'], DEFAULT_TARGET_DENY);
    expect(refusals(all, [...INSIDE, ...OUTSIDE])).toEqual([null]);
  });
});

const guardWith = (environment: Record<string, string>) => {
  const settings = readSettings({
    COPILOT_BASE_URL: 'http://127.0.0.1:9',
    COPILOT_CLIENT_ID: 'client',
    COPILOT_CLIENT_SECRET: 'secret',
    ...environment,
  });
  const publicAddress = new PublicAddress(settings);
  publicAddress.listeningOn(4_000);
  return new AddressGuard(settings, publicAddress, new HostAddresses(systemClock));
};
const look = (guard: AddressGuard, address: string, all: boolean) =>
  new Promise<{ code: string | undefined; found: unknown }>((resolve) => {
    const url = new URL(address);
    guard.lookupFor(url)(url.hostname, { all }, (error, found) => resolve({ code: error?.code, found }));
  });

describe('the guard at the connection', () => {
  it('gives no address to a name that leads to a denied one by then', async () => {
    const guard = guardWith({ SWITCHBOARD_TARGET_DENY: '127.0.0.0/8,::1/128' });
    for (const all of [true, false]) {
      const { code, found } = await look(guard, 'http://localhost:5000/', all);
      expect({ code, found }).toEqual({ code: ADDRESS_DENIED, found: [] });
    }
    expect(guard.literalRefusal(new URL('http://127.0.0.1/'))).toBe(ADDRESS_DENIED);
    expect(guard.literalRefusal(new URL('http://[::ffff:127.0.0.1]/'))).toBe(ADDRESS_DENIED);
    expect(guard.literalRefusal(new URL('http://localhost/'))).toBeNull();
  });

  it('leaves only the permitted ones of several', async () => {
    const guard = guardWith({ SWITCHBOARD_TARGET_DENY: '::1/128' });
    expect(await look(guard, 'http://localhost:5000/', true)).toMatchObject({
      found: [{ address: '127.0.0.1', family: 4 }],
    });
    expect(await look(guard, 'http://localhost:5000/', false)).toMatchObject({ found: '127.0.0.1' });
  });

  it('keeps away from our own intake, under the port that is listened on and no other', async () => {
    const guard = guardWith({});
    expect(await look(guard, 'http://localhost:4000/hooks/key', true)).toMatchObject({ code: OWN_INTAKE });
    expect(await look(guard, 'http://localhost:4001/hooks/key', true)).toMatchObject({ code: undefined });
    expect(guard.literalRefusal(new URL('http://127.0.0.1:4000//hooks/key'))).toBe(OWN_INTAKE);
    expect(guard.literalRefusal(new URL('http://127.0.0.1:4000/%48ooks'))).toBe(OWN_INTAKE);
    expect(guard.literalRefusal(new URL('http://127.0.0.1:4000/hooksmith'))).toBeNull();
    await expect(guard.assertAllowed('http://localhost:4000/hooks/key')).rejects.toMatchObject({
      code: 'own_intake',
      status: 422,
    });
  });

  it.each(['0.0.0.0', '::', '192.168.0.2', 'hub.example'])(
    'refuses private networks and this machine where the daemon listens on %s, and says what to set',
    async (HOST) => {
      const guard = guardWith({ HOST });
      expect(guard.literalRefusal(new URL('http://10.0.0.1/'))).toBe(ADDRESS_DENIED);
      expect(await look(guard, 'http://localhost:5000/', true)).toMatchObject({ code: ADDRESS_DENIED });
      await expect(guard.assertAllowed('http://10.0.0.1/')).rejects.toMatchObject({
        code: 'address_denied',
        message: expect.stringContaining(`others reach the daemon on HOST ${HOST}`),
        remedy: expect.stringContaining('SWITCHBOARD_TARGET_ALLOW=public,10.0.0.0/8'),
      });
      const named = guardWith({ HOST, SWITCHBOARD_TARGET_ALLOW: 'public,10.0.0.0/8' });
      expect(named.literalRefusal(new URL('http://10.0.0.1/'))).toBeNull();
    },
  );

  it.each(['127.0.0.1', '::1', 'localhost', ''])('permits them where it listens on "%s" alone', (HOST) => {
    const guard = guardWith({ HOST });
    for (const url of ['http://10.0.0.1/', 'http://127.0.0.1/', 'http://[::1]/'])
      expect(guard.literalRefusal(new URL(url))).toBeNull();
  });

  it('passes on what the look-up itself failed with', async () => {
    expect(await look(guardWith({}), 'http://nowhere.invalid/', true)).toMatchObject({
      code: expect.stringMatching(/^E/),
      found: [],
    });
  });
});
