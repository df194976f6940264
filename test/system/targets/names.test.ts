import { target } from '../../../src/contract/target';
import { systemClock } from '../../../src/relay/ground/clock';
import { UpstreamHttp } from '../../../src/relay/connection/upstream-http';
import { HostAddresses } from '../../../src/relay/network/host-addresses';
import { readSettings } from '../../../src/relay/settings/read-settings';
import { makeCertificate } from '../../support/fakes/certificates';
import { NameServer, SILENT } from '../../support/fakes/name-server';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const SECOND = 1_000;

let names: NameServer;
let board: Switchboard;
let place: RecordingTarget;
let number = 0;
let type = '';

beforeAll(async () => {
  names = await NameServer.start({
    'well.test': { addresses: ['127.0.0.1'], ttl: 0 },
    'silent.test': SILENT,
  });
  board = await Switchboard.start({ nameServers: [names.address] });
});
beforeEach(async () => {
  number += 1;
  type = `deal.number_${number}`;
  // Each request has a connection of its own, and so a look-up.
  place = await RecordingTarget.start((response) => response.writeHead(200, { connection: 'close' }).end());
});
afterEach(() => place.close());
afterAll(async () => {
  await board.end();
  await names.close();
});

const at = (host: string, { url } = place) => url.replace('127.0.0.1', host);

describe('a target whose name server does not answer', () => {
  it('fails by itself: its neighbour gets every event at once, and no breaker but its own opens', async () => {
    const policy = { timeout_ms: 2 * SECOND };
    const silent = await Promise.all(
      Array.from({ length: 4 }, (_, i) => {
        names.zones.set(`silent-${i}.test`, SILENT);
        return board.addTarget(`silent ${i}`, at(`silent-${i}.test`), [type], { policy });
      }),
    );
    const well = await board.addTarget(`well ${number}`, at('well.test'), [type]);
    const tookMs: number[] = [];
    for (let i = 0; i < 25; i += 1) {
      const began = performance.now();
      const id = await board.emit(type);
      await until('its delivery', () => place.of(id).length === 1);
      tookMs.push(performance.now() - began);
      // Its name is looked up anew.
      board.clock.move(SECOND);
    }
    expect(tookMs.filter((ms) => ms > SECOND)).toEqual([]);
    const read = (id: string) => board.read(target, `/targets/${id}`);
    for (const { id } of silent) {
      await until('the breaker', async () => (await read(id)).breaker !== null);
      expect((await read(id)).breaker!.reason).toMatch(/did not answer in time|No name server answered/);
    }
    expect(await read(well.id)).toMatchObject({ breaker: null, backlog: { open: 0 } });
    expect(names.countOf('well.test')).toBeGreaterThan(25);
  });

  it('is told so', async () => {
    const lost = await board.addTarget(`lost ${number}`, at('silent.test'), [type]);
    const id = await board.emit(type);
    const { attempts } = await board.deliveryOnce(id, lost.id, ({ attempts: made }) => made.length > 0);
    expect(attempts).toMatchObject([{ status: null, error: 'name_lookup_failed' }]);
    await board.removeTarget(lost);
  });

  it('keeps nobody from Co-Pilot, whose name is looked up beside it', async () => {
    const hosts = new HostAddresses(systemClock, [names.address]);
    const settings = readSettings({
      COPILOT_BASE_URL: 'https://well.test',
      COPILOT_CLIENT_ID: 'client',
      COPILOT_CLIENT_SECRET: 'secret',
    });
    const upstream = new UpstreamHttp(
      Object.assign(settings, { copilot: { baseUrl: `http://well.test:${place.port}` } }),
      hosts,
    );
    const failing = Array.from({ length: 20 }, (_, i) => {
      names.zones.set(`silent-${i}.test`, SILENT);
      return hosts.of(`silent-${i}.test`).catch((error: unknown) => error);
    });
    const request = { method: 'GET', path: '/v1', headers: {}, body: null, secrets: [] } as const;
    const began = performance.now();
    expect(await upstream.send(request)).toMatchObject({
      status: 200,
    });
    const tookMs = performance.now() - began;
    await Promise.all(failing);
    expect(tookMs).toBeLessThan((performance.now() - began) / 2);
  });
});

describe('a target with a name', () => {
  it('is asked by that name, in the request and in its certificate', async () => {
    const name = 'Test authority';
    const authority = { ...makeCertificate({ name, authority: true, hosts: { dns: [], ip: [] } }), name };
    const hosts = { dns: ['well.test'], ip: [] };
    const secure = await RecordingTarget.start(
      200,
      makeCertificate({ name: 'target', issuer: authority, hosts }),
    );
    const named = await board.addTarget(`named ${number}`, at('well.test', secure), [type], {
      tls: { ca: authority.cert },
    });
    const id = await board.emit(type);
    await board.deliveryOnce(id, named.id, ({ state }) => state === 'succeeded');
    expect(secure.of(id)[0]!.headers.host).toBe(`well.test:${secure.port}`);
    await board.removeTarget(named);
    await secure.close();
  });

  it('is sent nothing once the name leads to an address that is denied, and is not saved with such a name', async () => {
    names.zones.set('moving.test', { addresses: ['127.0.0.1'], ttl: 5 });
    const moving = await board.addTarget(`moving ${number}`, at('moving.test'), [type]);
    const before = await board.emit(type);
    await board.deliveryOnce(before, moving.id, ({ state }) => state === 'succeeded');
    names.zones.set('moving.test', { addresses: ['169.254.169.254'], ttl: 5 });
    board.clock.move(5 * SECOND);
    const after = await board.emit(type);
    const { attempts } = await board.deliveryOnce(after, moving.id, ({ attempts: made }) => made.length > 0);
    expect(attempts).toMatchObject([{ error: 'address_denied' }]);
    const json = { name: `denied ${number}`, url: at('moving.test') };
    const answer = await board.ask('/targets', { method: 'POST', json });
    expect(answer).toMatchObject({ status: 422, json: { code: 'address_denied' } });
    await board.removeTarget(moving);
  });
});
