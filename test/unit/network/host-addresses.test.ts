import { systemClock } from '../../../src/relay/ground/clock';
import { HostAddresses } from '../../../src/relay/network/host-addresses';
import { HostNames, SILENT } from '../../support/fakes/host-names';

const SECOND = 1_000;
const WELL_ADDRESSES = [{ address: '127.0.0.1', family: 4 }];

let names: HostNames;
let hosts: HostAddresses;
let now = 0;

beforeEach(() => {
  names = new HostNames({ 'well.test': ['127.0.0.1'], 'silent.test': SILENT });
  now = 0;
  const clock = { now: () => now, monotonic: () => now, slept: () => 0 };
  hosts = new HostAddresses(clock, names.find);
});

/** The code of the error. */
const failureOf = (host: string) =>
  hosts.resolve(host).then(
    () => null,
    (error: NodeJS.ErrnoException) => error.code,
  );

/** The result that a connection gets. */
const lookUp = (host: string, all: boolean) =>
  new Promise((resolve) => {
    hosts.lookup(host, { all }, (error, found, family) => resolve([error?.code, found, family]));
  });

describe('the addresses of a host', () => {
  it('are found although the lookups of other names hang, which fail after a while', async () => {
    let failed = 0;
    const silent = Array.from({ length: 100 }, async (_, i) => {
      names.addresses.set(`silent-${i}.test`, SILENT);
      const code = await failureOf(`silent-${i}.test`);
      failed += 1;
      return code;
    });
    expect(await hosts.resolve('well.test')).toEqual(WELL_ADDRESSES);
    expect(failed).toBe(0);
    expect(new Set(await Promise.all(silent))).toEqual(new Set(['EAI_AGAIN']));
  });

  it('are looked up once for concurrent callers, and again when they have expired', async () => {
    const all = await Promise.all(Array.from({ length: 50 }, () => hosts.resolve('WELL.test')));
    expect(all).toEqual(all.map(() => WELL_ADDRESSES));
    now = 10 * SECOND - 1;
    await hosts.resolve('well.test');
    expect(names.lookups).toEqual(['well.test']);
    names.addresses.set('well.test', ['127.0.0.2']);
    now = 10 * SECOND;
    expect(await hosts.resolve('well.test')).toEqual([{ address: '127.0.0.2', family: 4 }]);
    expect(names.countOf('well.test')).toBe(2);
  });

  it('are not looked up a second time as long as the first lookup hangs', async () => {
    let respond!: () => void;
    const responded = new Promise<void>((resolve) => (respond = resolve));
    let lookups = 0;
    hosts = new HostAddresses(systemClock, async () => {
      lookups += 1;
      await responded;
      return WELL_ADDRESSES;
    });
    expect(await failureOf('late.test')).toBe('EAI_AGAIN');
    const next = hosts.resolve('late.test');
    respond();
    expect(await next).toEqual(WELL_ADDRESSES);
    expect(await hosts.resolve('late.test')).toEqual(WELL_ADDRESSES);
    expect(lookups).toBe(1);
  });

  it('are not looked up repeatedly if there are none', async () => {
    for (let i = 0; i < 3; i += 1) expect(await failureOf('nobody.test')).toBe('ENOTFOUND');
    expect(names.countOf('nobody.test')).toBe(1);
    names.addresses.set('nobody.test', ['127.0.0.1']);
    now = 5 * SECOND;
    expect(await hosts.resolve('nobody.test')).toEqual(WELL_ADDRESSES);
  });

  it('are looked up again a second after any other failure', async () => {
    let lookups = 0;
    const find = () => {
      lookups += 1;
      return Promise.reject(Object.assign(new Error(), { code: 'EAI_FAIL' }));
    };
    hosts = new HostAddresses({ now: () => now, monotonic: () => now, slept: () => 0 }, find);
    for (now of [0, SECOND - 1, SECOND]) expect(await failureOf('broken.test')).toBe('EAI_AGAIN');
    expect(lookups).toBe(2);
  });

  it('are cached for a limited number of names', async () => {
    for (let i = 0; i <= 1_000; i += 1)
      await hosts.resolve(i === 0 ? 'well.test' : `x${i}.test`).catch(() => null);
    const { length: before } = names.lookups;
    await failureOf('x1000.test');
    expect(names.lookups).toHaveLength(before);
    await hosts.resolve('well.test');
    expect(names.lookups).toHaveLength(before + 1);
  });

  it('are loopback for localhost, and none for .invalid, without a name server', async () => {
    hosts = new HostAddresses(systemClock);
    for (const name of ['localhost', 'localhost.', 'app.localhost', 'app.localhost.']) {
      const found = await hosts.resolve(name);
      expect({ name, found }).toEqual({
        name,
        found: expect.arrayContaining([{ address: '127.0.0.1', family: 4 }]),
      });
    }
    hosts = new HostAddresses(systemClock, names.find);
    expect(await failureOf('nowhere.invalid')).toBe('ENOTFOUND');
    expect(names.lookups).toEqual([]);
  });

  it('are passed to a connection as requested: one, or all', async () => {
    expect(await lookUp('well.test', true)).toEqual([undefined, WELL_ADDRESSES, undefined]);
    expect(await lookUp('well.test', false)).toEqual([undefined, '127.0.0.1', 4]);
    expect(await lookUp('nobody.test', true)).toEqual(['ENOTFOUND', [], undefined]);
  });
});
