import type { LookupAddress } from 'node:dns';
import { HostAddresses } from '../../../src/relay/network/host-addresses';
import { hostsEntries } from '../../../src/relay/network/hosts-file';
import { candidateNames, parseSearchList } from '../../../src/relay/network/search-list';
import { SystemLookup } from '../../../src/relay/network/system-lookup';
import { NameServer, SILENT } from '../../support/fakes/name-server';

const SECOND = 1_000;
const WELL = [{ address: '127.0.0.1', family: 4 }];

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

/** What a connection gets. */
const look = (host: string, all: boolean) =>
  new Promise((resolve) => {
    hosts.lookup(host, { all }, (error, found, family) => resolve([error?.code, found, family]));
  });

describe('the addresses of a host', () => {
  it('are found though the name server never answers for others', async () => {
    const silent = Array.from({ length: 100 }, (_, i) => {
      server.zones.set(`silent-${i}.test`, SILENT);
      return hosts.of(`silent-${i}.test`).then(
        () => null,
        (error: NodeJS.ErrnoException) => error.code,
      );
    });
    const began = performance.now();
    expect(await hosts.of('well.test')).toEqual(WELL);
    const tookMs = performance.now() - began;
    expect(new Set(await Promise.all(silent))).toEqual(new Set(['EAI_AGAIN']));
    const allMs = performance.now() - began;
    expect(tookMs).toBeLessThan(allMs / 2);
    expect(allMs).toBeLessThan(7.5 * SECOND);
  });

  it('are asked for once, however many want them, and again when they no longer hold', async () => {
    const all = await Promise.all(Array.from({ length: 50 }, () => hosts.of('WELL.test')));
    expect(all).toEqual(all.map(() => WELL));
    expect(server.asked.map(({ family }) => family).toSorted((a, b) => a - b)).toEqual([4, 6]);
    now = 20 * SECOND - 1;
    await hosts.of('well.test');
    expect(server.countOf('well.test')).toBe(2);
    server.zones.set('well.test', { addresses: ['127.0.0.2'], ttl: 86_400 });
    now = 20 * SECOND;
    expect(await hosts.of('well.test')).toEqual([{ address: '127.0.0.2', family: 4 }]);
    // However long the name server grants.
    server.zones.set('well.test', { addresses: ['127.0.0.1'], ttl: 0 });
    now += 30 * SECOND;
    expect(await hosts.of('well.test')).toEqual(WELL);
    now += SECOND;
    await hosts.of('well.test');
    expect(server.countOf('well.test')).toBe(8);
  });

  it('are not asked for again and again where there are none', async () => {
    for (let i = 0; i < 3; i += 1)
      await expect(hosts.of('nobody.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(server.countOf('nobody.test')).toBe(2);
    server.zones.set('nobody.test', { addresses: ['127.0.0.1'] });
    now = 5 * SECOND;
    expect(await hosts.of('nobody.test')).toEqual(WELL);
  });

  it('are those of both families, and do not wait for one that is not told', async () => {
    server.zones.set('both.test', { addresses: ['::1', '127.0.0.1'] });
    expect(await hosts.of('both.test')).toEqual([...WELL, { address: '::1', family: 6 }]);
    server.zones.set('four.test', { addresses: ['127.0.0.1'], silentOf: [6] });
    server.zones.set('six.test', { addresses: ['::1'], silentOf: [4] });
    const began = performance.now();
    expect(await hosts.of('four.test')).toEqual(WELL);
    expect(await hosts.of('six.test')).toEqual([{ address: '::1', family: 6 }]);
    expect(performance.now() - began).toBeLessThan(SECOND);
  });

  it('are kept of a bounded number of names', async () => {
    for (let i = 0; i <= 1_000; i += 1)
      await hosts.of(i === 0 ? 'well.test' : `x${i}.test`).catch(() => null);
    const before = server.asked.length;
    await hosts.of('x1000.test').catch(() => null);
    expect(server.asked).toHaveLength(before);
    await hosts.of('well.test');
    expect(server.asked).toHaveLength(before + 2);
  });

  it('are those of this machine for localhost, and none for what never has any, without a question', async () => {
    for (const name of ['localhost', 'localhost.', 'app.localhost']) {
      const found = await hosts.of(name);
      expect({ name, found }).toEqual({
        name,
        found: expect.arrayContaining([{ address: '127.0.0.1', family: 4 }]),
      });
    }
    await expect(hosts.of('nowhere.invalid')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(server.asked).toEqual([]);
  });

  it('are given to a connection as it asks for them: one, or all', async () => {
    expect(await look('well.test', true)).toEqual([undefined, WELL, undefined]);
    expect(await look('well.test', false)).toEqual([undefined, '127.0.0.1', 4]);
    expect(await look('nobody.test', true)).toEqual(['ENOTFOUND', [], undefined]);
  });
});

describe('what a machine knows of names by itself', () => {
  it('are all lines of its hosts file that name it', () => {
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

  it('completes names as the search list has it', () => {
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

  it('is asked for two names at once at most, and nobody waits for those', async () => {
    const system = new SystemLookup();
    const [one, two, three] = await Promise.all([1, 2, 3].map(() => system.find('localhost', 5 * SECOND)));
    expect([one!.length > 0, two!.length > 0, three]).toEqual([true, true, []]);
    expect((await system.find('localhost', 5 * SECOND)).length).toBeGreaterThan(0);
  });
});
