import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { target } from '../../../src/contract/target';
import { systemClock } from '../../../src/relay/ground/clock';
import { UpstreamHttp } from '../../../src/relay/connection/upstream-http';
import { HostAddresses } from '../../../src/relay/network/host-addresses';
import { readSettings } from '../../../src/relay/settings/read-settings';
import { makeCertificate } from '../../support/fakes/certificates';
import { FakeCopilot } from '../../support/fakes/copilot';
import { HostNames, SILENT } from '../../support/fakes/host-names';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { WebhookSender } from '../../support/fakes/webhook-sender';
import { Daemon } from '../../support/daemon/daemon';
import { Switchboard } from '../../support/daemon/switchboard';
import { dealNotification } from '../../support/notification';
import { until } from '../../support/until';
import { MachineFaults } from '../../../src/relay/ground/machine-faults';
import { ONLY_DAEMON } from '../../support/only-daemon';

const SECOND = 1_000;

const names = new HostNames({ 'well.test': ['127.0.0.1'], 'silent.test': SILENT });
let switchboard: Switchboard;
let receiver: RecordingTarget;
let number = 0;
let type = '';

beforeAll(async () => {
  switchboard = await Switchboard.start({ names });
});
beforeEach(async () => {
  number += 1;
  type = `deal.number_${number}`;
  // Each request has its own connection, and so its own lookup.
  receiver = await RecordingTarget.start((response) =>
    response.writeHead(200, { connection: 'close' }).end(),
  );
});
afterEach(() => receiver.close());
afterAll(async () => {
  await switchboard.end();
});

const at = (host: string, { url } = receiver) => url.replace('127.0.0.1', host);

describe('a target whose name server does not respond', () => {
  it('affects only itself: another target receives every event at once, and no other circuit breaker opens', async () => {
    const policy = { timeout_ms: 2 * SECOND };
    const silent = await Promise.all(
      Array.from({ length: 4 }, (_, i) => {
        names.addresses.set(`silent-${i}.test`, SILENT);
        return switchboard.addTarget(`silent ${i}`, at(`silent-${i}.test`), [type], { policy });
      }),
    );
    const well = await switchboard.addTarget(`well ${number}`, at('well.test'), [type]);
    const tookMs: number[] = [];
    for (let i = 0; i < 25; i += 1) {
      const startedAt = performance.now();
      const id = await switchboard.emit(type);
      await until('it is delivered', () => receiver.of(id).length === 1);
      tookMs.push(performance.now() - startedAt);
      // The name is resolved again.
      switchboard.clock.move(10 * SECOND);
    }
    // Half of them, since the machine may be busy for a moment. Behind the other lookups, each would take seconds.
    expect(tookMs.toSorted((a, b) => a - b)[12]).toBeLessThan(SECOND);
    const read = (id: string) => switchboard.read(target, `/targets/${id}`);
    for (const { id } of silent) {
      await until('its circuit breaker is open', async () => (await read(id)).breaker !== null);
      expect((await read(id)).breaker!.reason).toMatch(/Response timed out|DNS lookup failed/);
    }
    expect(await read(well.id)).toMatchObject({ breaker: null, backlog: { open: 0 } });
    expect(names.countOf('well.test')).toBeGreaterThanOrEqual(25);
  });

  it('has attempts that fail with the error name_lookup_failed', async () => {
    const lost = await switchboard.addTarget(`lost ${number}`, at('silent.test'), [type]);
    const id = await switchboard.emit(type);
    const { attempts } = await switchboard.deliveryOnce(
      id,
      lost.id,
      ({ attempts: created }) => created.length > 0,
    );
    expect(attempts).toMatchObject([{ status: null, error: 'name_lookup_failed' }]);
    await switchboard.removeTarget(lost);
  });

  it('does not delay requests to Co-Pilot, whose name is resolved at the same time', async () => {
    const hosts = new HostAddresses(systemClock, names.find);
    const settings = readSettings({
      COPILOT_BASE_URL: 'https://well.test',
      COPILOT_CLIENT_ID: 'client',
      COPILOT_CLIENT_SECRET: 'secret',
    });
    const upstream = new UpstreamHttp(
      Object.assign(settings, { copilot: { baseUrl: `http://well.test:${receiver.port}` } }),
      ONLY_DAEMON.leadership,
      hosts,
      new MachineFaults(ONLY_DAEMON.leaderLink),
    );
    const failing = Array.from({ length: 20 }, (_, i) => {
      names.addresses.set(`silent-${i}.test`, SILENT);
      return hosts.resolve(`silent-${i}.test`).catch((error: unknown) => error);
    });
    const request = { method: 'GET', path: '/v1', headers: {}, body: null, secrets: [] } as const;
    const startedAt = performance.now();
    expect(await upstream.send(request)).toMatchObject({
      status: 200,
    });
    const tookMs = performance.now() - startedAt;
    await Promise.all(failing);
    expect(tookMs).toBeLessThan((performance.now() - startedAt) / 2);
  });
});

describe('lookups of the system that hang', () => {
  let folder: string;
  let upstream: FakeCopilot;
  let daemon: Daemon;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-names-'));
    // The C library reads the aliases of names without a dot from this file (hostname(7)): there, it waits for a writer.
    const HOSTALIASES = join(folder, 'aliases');
    execFileSync('mkfifo', [HOSTALIASES]);
    upstream = await FakeCopilot.start();
    daemon = await Daemon.startConnected({
      upstream,
      environment: { HOSTALIASES },
    });
  });
  afterAll(async () => {
    await daemon.close();
    await upstream.close();
    rmSync(folder, { recursive: true });
  });

  it('do not delay that of another name', async () => {
    await Promise.all([1, 2, 3, 4, 5].map((i) => daemon.addTarget(`silent ${i}`, at(`silent-${i}`))));
    await daemon.addTarget('well', at('well.localhost'));
    const sender = new WebhookSender(daemon.webhook);
    const { body } = dealNotification({ id: 1, webhookId: daemon.webhook.webhook_id });
    expect((await sender.send(body)).status).toBe(200);
    sender.close();
    await until('it is delivered', () => receiver.hits.length === 1);
  });
});

describe('a target with a host name', () => {
  it('is addressed by that name, in the request and in its certificate', async () => {
    const name = 'Test authority';
    const authority = { ...makeCertificate({ name, authority: true, hosts: { dns: [], ip: [] } }), name };
    const hosts = { dns: ['well.test'], ip: [] };
    const secure = await RecordingTarget.start(
      200,
      makeCertificate({ name: 'target', issuer: authority, hosts }),
    );
    const named = await switchboard.addTarget(`named ${number}`, at('well.test', secure), [type], {
      tls: { ca: authority.cert },
    });
    const id = await switchboard.emit(type);
    await switchboard.deliveryOnce(id, named.id, ({ state }) => state === 'succeeded');
    expect(secure.of(id)[0]!.headers.host).toBe(`well.test:${secure.port}`);
    await switchboard.removeTarget(named);
    await secure.close();
  });

  it('is sent nothing once its name resolves to a denied address, and cannot be saved with such a name', async () => {
    names.addresses.set('moving.test', ['127.0.0.1']);
    const moving = await switchboard.addTarget(`moving ${number}`, at('moving.test'), [type]);
    const before = await switchboard.emit(type);
    await switchboard.deliveryOnce(before, moving.id, ({ state }) => state === 'succeeded');
    names.addresses.set('moving.test', ['169.254.169.254']);
    switchboard.clock.move(10 * SECOND);
    const after = await switchboard.emit(type);
    const { attempts } = await switchboard.deliveryOnce(
      after,
      moving.id,
      ({ attempts: created }) => created.length > 0,
    );
    expect(attempts).toMatchObject([{ error: 'address_denied' }]);
    const json = { name: `denied ${number}`, url: at('moving.test') };
    const response = await switchboard.ask('/targets', { method: 'POST', json });
    expect(response).toMatchObject({ status: 422, json: { code: 'address_denied' } });
    await switchboard.removeTarget(moving);
  });
});
