import type { LookupAddress } from 'node:dns';
import { HostAddresses } from '../../../src/relay/network/host-addresses';
import { hostsEntries } from '../../../src/relay/network/hosts-file';
import { candidateNames, parseSearchList } from '../../../src/relay/network/search-list';
import { SystemLookup } from '../../../src/relay/network/system-lookup';
import { NameServer, SILENT } from '../../support/fakes/name-server';

const SECOND = 1_000;
const WELL_ADDRESSES = [{ address: '127.0.0.1', family: 4 }];

let server: NameServer;
let hosts: HostAddresses;
let now = 0;

beforeEach(async () => {
  server = await NameServer.start({
    'well.test': { addresses: ['127.0.0.1'], ttl: 20 },
    'silent.test': SILENT,
  });
  now = 0;
  const clock = { now: () => now, monotonic: () => now, slept: () => 0 };
  hosts = new HostAddresses(clock, [server.address]);
});
afterEach(() => server.close());

/** The result that a connection gets. */
const lookUp = (host: string, all: boolean) =>
  new Promise((resolve) => {
    hosts.lookup(host, { all }, (error, found, family) => resolve([error?.code, found, family]));
  });

describe('the addresses of a host', () => {
  it('are found although the name server does not respond for other names', async () => {
    const silent = Array.from({ length: 100 }, (_, i) => {
      server.zones.set(`silent-${i}.test`, SILENT);
      return hosts.resolve(`silent-${i}.test`).then(
        () => null,
        (error: NodeJS.ErrnoException) => error.code,
      );
    });
    const began = performance.now();
    expect(await hosts.resolve('well.test')).toEqual(WELL_ADDRESSES);
    const tookMs = performance.now() - began;
    expect(new Set(await Promise.all(silent))).toEqual(new Set(['EAI_AGAIN']));
    const allMs = performance.now() - began;
    expect(tookMs).toBeLessThan(allMs / 2);
    expect(allMs).toBeLessThan(7.5 * SECOND);
  });

  it('are looked up once for concurrent callers, and again when they have expired', async () => {
    const all = await Promise.all(Array.from({ length: 50 }, () => hosts.resolve('WELL.test')));
    expect(all).toEqual(all.map(() => WELL_ADDRESSES));
    expect(server.queries.map(({ family }) => family).toSorted((a, b) => a - b)).toEqual([4, 6]);
    now = 20 * SECOND - 1;
    await hosts.resolve('well.test');
    expect(server.countOf('well.test')).toBe(2);
    server.zones.set('well.test', { addresses: ['127.0.0.2'], ttl: 86_400 });
    now = 20 * SECOND;
    expect(await hosts.resolve('well.test')).toEqual([{ address: '127.0.0.2', family: 4 }]);
    // A result is cached for at most 30 s and at least 1 s, whatever its TTL.
    server.zones.set('well.test', { addresses: ['127.0.0.1'], ttl: 0 });
    now += 30 * SECOND;
    expect(await hosts.resolve('well.test')).toEqual(WELL_ADDRESSES);
    now += SECOND;
    await hosts.resolve('well.test');
    expect(server.countOf('well.test')).toBe(8);
  });

  it('are not looked up repeatedly if there are none', async () => {
    for (let i = 0; i < 3; i += 1)
      await expect(hosts.resolve('nobody.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(server.countOf('nobody.test')).toBe(2);
    server.zones.set('nobody.test', { addresses: ['127.0.0.1'] });
    now = 5 * SECOND;
    expect(await hosts.resolve('nobody.test')).toEqual(WELL_ADDRESSES);
  });

  it('include both address families, without waiting for one for which no response comes', async () => {
    server.zones.set('both.test', { addresses: ['::1', '127.0.0.1'] });
    expect(await hosts.resolve('both.test')).toEqual([...WELL_ADDRESSES, { address: '::1', family: 6 }]);
    server.zones.set('four.test', { addresses: ['127.0.0.1'], silentOf: [6] });
    server.zones.set('six.test', { addresses: ['::1'], silentOf: [4] });
    server.zones.set('neither.test', SILENT);
    const settled: string[] = [];
    const note = (name: string) => () => void settled.push(name);
    const neither = hosts.resolve('neither.test').catch(note('neither'));
    expect(await hosts.resolve('four.test')).toEqual(WELL_ADDRESSES);
    expect(await hosts.resolve('six.test')).toEqual([{ address: '::1', family: 6 }]);
    note('both')();
    await neither;
    expect(settled).toEqual(['both', 'neither']);
  });

  it('are cached for a limited number of names', async () => {
    for (let i = 0; i <= 1_000; i += 1)
      await hosts.resolve(i === 0 ? 'well.test' : `x${i}.test`).catch(() => null);
    const before = server.queries.length;
    await hosts.resolve('x1000.test').catch(() => null);
    expect(server.queries).toHaveLength(before);
    await hosts.resolve('well.test');
    expect(server.queries).toHaveLength(before + 2);
  });

  it('are loopback for localhost, and none for .invalid, without a query', async () => {
    for (const name of ['localhost', 'localhost.', 'app.localhost']) {
      const found = await hosts.resolve(name);
      expect({ name, found }).toEqual({
        name,
        found: expect.arrayContaining([{ address: '127.0.0.1', family: 4 }]),
      });
    }
    await expect(hosts.resolve('nowhere.invalid')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(server.queries).toEqual([]);
  });

  it('are passed to a connection as requested: one, or all', async () => {
    expect(await lookUp('well.test', true)).toEqual([undefined, WELL_ADDRESSES, undefined]);
    expect(await lookUp('well.test', false)).toEqual([undefined, '127.0.0.1', 4]);
    expect(await lookUp('nobody.test', true)).toEqual(['ENOTFOUND', [], undefined]);
  });
});

describe('the name resolution of the machine', () => {
  it('includes all lines of the hosts file that have the name', () => {
    const file =
      '127.0.0.1 localhost\n# 10.0.0.9 away.lan\n10.0.0.1\thub.lan Hub # ours\n::1 hub\r\nno-address hub\n';
    const found = (name: string): LookupAddress[] => hostsEntries(file, name);
    expect(found('hub')).toEqual([
      { address: '10.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
    expect(found('hub.lan')).toEqual([{ address: '10.0.0.1', family: 4 }]);
    expect([...found('away.lan'), ...found('#'), ...found('')]).toEqual([]);
  });

  it('completes names with the search list', () => {
    const cluster = parseSearchList(
      'nameserver 10.0.0.10\nsearch ns.svc.cluster.local svc.cluster.local.\noptions ndots:5 edns0\n',
    );
    expect(candidateNames('receiver', cluster)).toEqual([
      'receiver.ns.svc.cluster.local',
      'receiver.svc.cluster.local',
      'receiver',
    ]);
    expect(candidateNames('hooks.example.com.', cluster)).toEqual(['hooks.example.com']);
    const office = parseSearchList('; ours\ndomain lan\n');
    expect(candidateNames('nas', office)).toEqual(['nas.lan', 'nas']);
    expect(candidateNames('hooks.example.com', office)).toEqual([
      'hooks.example.com',
      'hooks.example.com.lan',
    ]);
    expect(candidateNames('receiver', parseSearchList(''))).toEqual(['receiver']);
  });

  it('is used for at most two names at a time; further lookups return at once without a result', async () => {
    const system = new SystemLookup();
    const [one, two, three] = await Promise.all([1, 2, 3].map(() => system.find('localhost', 5 * SECOND)));
    expect([one!.length > 0, two!.length > 0, three]).toEqual([true, true, []]);
    expect((await system.find('localhost', 5 * SECOND)).length).toBeGreaterThan(0);
  });
});
