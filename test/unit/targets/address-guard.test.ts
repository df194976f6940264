import { networkInterfaces } from 'node:os';
import { systemClock } from '../../../src/relay/ground/clock';
import { endpointOf } from '../../../src/relay/network/endpoint';
import { HostAddresses } from '../../../src/relay/network/host-addresses';
import { PublicAddress } from '../../../src/relay/settings/public-address';
import { readSettings } from '../../../src/relay/settings/read-settings';
import { AddressGuard } from '../../../src/relay/targets/address-guard';
import { ADDRESS_DENIED, OWN_INTAKE } from '../../../src/relay/targets/address-rules';
import { ONLY_DAEMON } from '../../support/only-daemon';

/** One of this machine that is not loopback, if there is one. */
const ownAddress = () =>
  Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1';

/** Resolves every name to an IPv4 and an IPv6 address. */
const BOTH_FAMILIES = Object.assign(new HostAddresses(systemClock), {
  resolve: () =>
    Promise.resolve([
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]),
});

const guardWith = (
  environment: Record<string, string>,
  hosts = new HostAddresses(systemClock),
  others: string[] = [],
) => {
  const settings = readSettings({
    COPILOT_BASE_URL: 'http://127.0.0.1:9',
    COPILOT_CLIENT_ID: 'client',
    COPILOT_CLIENT_SECRET: 'secret',
    ...environment,
  });
  const publicAddress = new PublicAddress(settings);
  publicAddress.listeningPort = 4_000;
  return new AddressGuard(
    settings,
    publicAddress,
    hosts,
    Object.assign({}, ONLY_DAEMON.daemons, { endpoints: others.map(endpointOf) }),
  );
};
const lookUp = (guard: AddressGuard, address: string, all: boolean) =>
  new Promise<{ code: string | undefined; found: unknown }>((resolve) => {
    const url = new URL(address);
    guard.lookupFor(url)(url.hostname, { all }, (error, found) => resolve({ code: error?.code, found }));
  });

describe('the address guard', () => {
  it('returns no address for a name that resolves only to denied addresses', async () => {
    const guard = guardWith({ SWITCHBOARD_TARGET_DENY: '127.0.0.0/8,::1/128' });
    for (const all of [true, false]) {
      const { code, found } = await lookUp(guard, 'http://localhost:5000/', all);
      expect({ code, found }).toEqual({ code: ADDRESS_DENIED, found: [] });
    }
    expect(guard.literalCheckFor(new URL('http://127.0.0.1/'))()).toBe(ADDRESS_DENIED);
    expect(guard.literalCheckFor(new URL('http://[::ffff:127.0.0.1]/'))()).toBe(ADDRESS_DENIED);
    expect(guard.literalCheckFor(new URL('http://localhost/'))()).toBeNull();
  });

  it('returns only the permitted addresses of several', async () => {
    const guard = guardWith({ SWITCHBOARD_TARGET_DENY: '::1/128' });
    expect(await lookUp(guard, 'http://localhost:5000/', true)).toMatchObject({
      found: [{ address: '127.0.0.1', family: 4 }],
    });
    expect(await lookUp(guard, 'http://localhost:5000/', false)).toMatchObject({ found: '127.0.0.1' });
  });

  it('reports a denial only if no address is permitted, but rejects a target that has a denied one', async () => {
    const some = guardWith({ SWITCHBOARD_TARGET_DENY: '::1/128' }, BOTH_FAMILIES);
    expect(await some.describeDenial('http://both.example/')).toBeNull();
    await expect(some.assertAllowed('http://both.example/')).rejects.toMatchObject({
      code: 'address_denied',
    });
    const all = guardWith({ SWITCHBOARD_TARGET_DENY: '::1/128,127.0.0.0/8' }, BOTH_FAMILIES);
    expect(await all.describeDenial('http://both.example/')).toMatchObject({
      sentence: 'both.example resolves to an address that is not allowed for targets.',
    });
  });

  it('denies this daemon on every path, but only at its port', async () => {
    const guard = guardWith({});
    expect(await lookUp(guard, 'http://localhost:4000/hooks/key', true)).toMatchObject({ code: OWN_INTAKE });
    expect(await lookUp(guard, 'http://localhost:4001/hooks/key', true)).toMatchObject({ code: undefined });
    expect(guard.literalCheckFor(new URL('http://127.0.0.1:4000//hooks/key'))()).toBe(OWN_INTAKE);
    expect(guard.literalCheckFor(new URL('http://127.0.0.1:4000/%48ooks'))()).toBe(OWN_INTAKE);
    expect(guard.literalCheckFor(new URL('http://127.0.0.1:4000/api/v1/tokens'))()).toBe(OWN_INTAKE);
    expect(guard.literalCheckFor(new URL('http://127.0.0.1:4001/hooks/key'))()).toBeNull();
    await expect(guard.assertAllowed('http://localhost:4000/hooks/key')).rejects.toMatchObject({
      code: 'own_intake',
      status: 422,
    });
  });

  it('denies the other daemons of the hub on every path, under each of their addresses', async () => {
    const others = ['http://10.0.0.7:4000', 'http://[fd00::7]:4001', 'http://127.0.0.1:4002'];
    const guard = guardWith({ SWITCHBOARD_TARGET_DENY: '203.0.113.0/24' }, BOTH_FAMILIES, others);
    for (const url of [
      'http://10.0.0.7:4000/',
      'http://[::ffff:10.0.0.7]:4000/hooks/key',
      'http://[64:ff9b::10.0.0.7]:4000/',
      'http://[fd00:0::7]:4001/api/v1/tokens',
      'http://0.0.0.0:4002/',
      'http://127.9.9.9:4002/',
      `http://${ownAddress()}:4002/`,
    ]) {
      expect([url, guard.literalCheckFor(new URL(url))()]).toEqual([url, OWN_INTAKE]);
      await expect(guard.assertAllowed(url)).rejects.toMatchObject({ code: 'own_intake' });
    }
    expect(await lookUp(guard, 'http://both.example:4002/', true)).toMatchObject({ code: OWN_INTAKE });
    await expect(guard.assertAllowed('http://both.example:4002/')).rejects.toMatchObject({
      code: 'own_intake',
    });
    for (const url of ['http://10.0.0.7:4001/', 'http://10.0.0.8:4000/hooks/key', 'http://[fd00::7]/'])
      expect([url, guard.literalCheckFor(new URL(url))()]).toEqual([url, null]);
  });

  it.each(['0.0.0.0', '::', '192.168.0.2', 'hub.example'])(
    'denies private networks and this machine if the daemon listens on %s, and names the setting',
    async (HOST) => {
      const guard = guardWith({ HOST });
      expect(guard.literalCheckFor(new URL('http://10.0.0.1/'))()).toBe(ADDRESS_DENIED);
      expect(await lookUp(guard, 'http://localhost:5000/', true)).toMatchObject({ code: ADDRESS_DENIED });
      await expect(guard.assertAllowed('http://10.0.0.1/')).rejects.toMatchObject({
        code: 'address_denied',
        message: expect.stringContaining(`because HOST ${HOST} makes the daemon reachable`),
        remedy: expect.stringContaining('SWITCHBOARD_TARGET_ALLOW=public,10.0.0.0/8'),
      });
      const named = guardWith({ HOST, SWITCHBOARD_TARGET_ALLOW: 'public,10.0.0.0/8' });
      expect(named.literalCheckFor(new URL('http://10.0.0.1/'))()).toBeNull();
    },
  );

  it.each(['127.0.0.1', '::1', 'localhost', ''])(
    'permits private networks and this machine if the daemon listens only on "%s"',
    (HOST) => {
      const guard = guardWith({ HOST });
      for (const url of ['http://10.0.0.1/', 'http://127.0.0.1/', 'http://[::1]/'])
        expect(guard.literalCheckFor(new URL(url))()).toBeNull();
    },
  );

  it('passes on the error of a failed lookup', async () => {
    expect(await lookUp(guardWith({}), 'http://nowhere.invalid/', true)).toMatchObject({
      code: expect.stringMatching(/^E/),
      found: [],
    });
  });
});
