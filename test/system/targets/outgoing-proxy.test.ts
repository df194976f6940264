import { Agent, get } from 'node:https';
import { UpstreamHttp } from '../../../src/relay/connection/upstream-http';
import { HostAddresses } from '../../../src/relay/network/host-addresses';
import { OutgoingProxy } from '../../../src/relay/network/outgoing-proxy';
import { throughProxy } from '../../../src/relay/network/through-proxy';
import { readSettings } from '../../../src/relay/settings/read-settings';
import { systemClock } from '../../../src/relay/ground/clock';
import { makeCertificate } from '../../support/fakes/certificates';
import { ConnectProxy } from '../../support/fakes/connect-proxy';
import { HostNames } from '../../support/fakes/host-names';
import type { RecordingTarget } from '../../support/fakes/recording-target';
import { useReceivers } from '../../support/fakes/receivers';
import { Switchboard } from '../../support/daemon/switchboard';
import { MachineFaults } from '../../../src/relay/ground/machine-faults';
import { ONLY_DAEMON } from '../../support/only-daemon';

const PASSWORD = 'password-of-the-proxy';
const CREDENTIALS = `Basic ${Buffer.from(`hub:${PASSWORD}`).toString('base64')}`;
const CERTIFICATE = makeCertificate({ name: 'shop', hosts: { dns: ['shop.test'], ip: [] }, authority: true });

const names = new HostNames({ 'shop.test': ['203.0.113.10'], 'here.test': ['127.0.0.1'] });
const startReceiver = useReceivers();
let proxy: ConnectProxy;
let switchboard: Switchboard;
let plain: RecordingTarget;
let secure: RecordingTarget;
let number = 0;

beforeAll(async () => {
  proxy = await ConnectProxy.start();
  plain = await startReceiver();
  secure = await startReceiver(200, CERTIFICATE);
  const url = proxy.url(`hub:${PASSWORD}@`);
  switchboard = await Switchboard.start({
    names,
    environment: { HTTPS_PROXY: url, http_proxy: url, SWITCHBOARD_TARGET_DENY: '10.0.0.0/8' },
  });
});
beforeEach(() => {
  proxy.authorities.length = 0;
  proxy.refuseWith = null;
});
afterAll(async () => {
  await switchboard.end();
  await proxy.close();
});

/** Delivers an event to a new target. @returns its first attempt */
async function deliver(url: string, more: object = {}) {
  number += 1;
  const type = `proxied.number_${number}`;
  const target = await switchboard.addTarget(`target ${number}`, url, [type], more);
  const id = await switchboard.emit(type);
  const { attempts } = await switchboard.deliveryOnce(id, target.id, (one) => one.attempts.length > 0);
  return { id, attempt: attempts[0]! };
}

const at = (host: string, { url } = plain) => url.replace('127.0.0.1', host);

describe('deliveries through a proxy', () => {
  it('go through a tunnel to the address that was checked, with TLS for the name', async () => {
    proxy.leadsTo = secure.port;
    const { id, attempt } = await deliver(at('shop.test', secure), { tls: { ca: CERTIFICATE.cert } });
    expect(attempt).toMatchObject({ status: 200, error: null });
    expect(secure.of(id)[0]!.headers.host).toBe(`shop.test:${secure.port}`);
    expect(proxy.authorities).toEqual([`203.0.113.10:${secure.port}`]);
    expect(proxy.authorizations.at(-1)).toBe(CREDENTIALS);
  });

  it('use a tunnel for http as well', async () => {
    proxy.leadsTo = plain.port;
    const { id, attempt } = await deliver(at('shop.test'));
    expect(attempt.status).toBe(200);
    expect(plain.of(id)[0]!.headers.host).toBe(`shop.test:${plain.port}`);
    expect(plain.of(id)[0]!.headers).not.toHaveProperty('proxy-authorization');
    expect(proxy.authorities).toEqual([`203.0.113.10:${plain.port}`]);
  });

  it('do not reach a denied address, even if the name resolves to it only later', async () => {
    names.addresses.set('moving.test', ['203.0.113.11']);
    const type = 'proxied.moving';
    const target = await switchboard.addTarget('moving', at('moving.test'), [type]);
    names.addresses.set('moving.test', ['10.1.2.3']);
    switchboard.clock.move(60_000);
    const id = await switchboard.emit(type);
    const { attempts } = await switchboard.deliveryOnce(id, target.id, (one) => one.attempts.length > 0);
    expect(attempts[0]).toMatchObject({ status: null, error: 'address_denied' });
    expect(proxy.authorities).toEqual([]);
  });

  it('to this machine do not use it, whether it is named by address or otherwise', async () => {
    for (const host of ['127.0.0.1', 'localhost', 'here.test'])
      expect((await deliver(at(host))).attempt.status).toBe(200);
    expect(proxy.authorities).toEqual([]);
  });

  it('report that the proxy failed, without its password', async () => {
    proxy.refuseWith = 403;
    const { id, attempt } = await deliver(at('shop.test'));
    expect(attempt).toMatchObject({ status: null, error: 'proxy_failed' });
    expect(proxy.authorities).toHaveLength(1);
    const shown = [
      switchboard.logged,
      (await switchboard.ask('/settings')).text,
      JSON.stringify(await switchboard.event(id)),
    ];
    expect(JSON.parse(shown[1]!)).toMatchObject({
      outgoing_proxy: { https: proxy.url(), http: proxy.url() },
    });
    for (const text of shown) {
      expect(text).not.toContain(PASSWORD);
      expect(text).not.toContain(CREDENTIALS);
    }
  });
});

describe('requests to Co-Pilot through a proxy', () => {
  const REQUIRED = { COPILOT_CLIENT_ID: 'client', COPILOT_CLIENT_SECRET: 'secret' };

  it('go through a tunnel to its name, which the proxy resolves', async () => {
    proxy.leadsTo = secure.port;
    const settings = readSettings({
      ...REQUIRED,
      COPILOT_BASE_URL: 'https://co-pilot.test',
      HTTPS_PROXY: proxy.url(`hub:${PASSWORD}@`),
    });
    const upstream = new UpstreamHttp(
      settings,
      ONLY_DAEMON.leadership,
      new HostAddresses(systemClock, names.find),
      new MachineFaults(ONLY_DAEMON.leaderLink),
    );
    const request = { method: 'GET' as const, path: '/v1/webhooks', headers: {}, body: null, secrets: [] };
    // The certificate is for another name: TLS was negotiated within the tunnel.
    expect(await upstream.send(request)).toMatchObject({
      kind: 'unreachable',
      reason: expect.stringMatching(/SELF_SIGNED|ALTNAME/),
    });
    expect(proxy.authorities).toEqual(['co-pilot.test:443']);
    proxy.refuseWith = 502;
    expect(await upstream.send(request)).toEqual({ kind: 'unreachable', reason: 'ERR_PROXY_FAILED' });
    expect(names.countOf('co-pilot.test')).toBe(0);
  });

  it('are answered', async () => {
    proxy.leadsTo = secure.port;
    const server = new OutgoingProxy({ outgoingProxy: { https: proxy.url(), http: null, except: [] } }).for(
      new URL('https://shop.test/'),
    )!;
    const { lookup } = new HostAddresses(systemClock);
    const agent = throughProxy(new Agent({ ca: CERTIFICATE.cert }), server, { lookup, timeoutMs: 10_000 });
    const status = await new Promise((resolve, reject) => {
      get('https://shop.test/v1', { agent }, (response) => resolve(response.resume().statusCode)).on(
        'error',
        reject,
      );
    });
    expect(status).toBe(200);
    expect(secure.hits.at(-1)).toMatchObject({ path: '/v1', headers: { host: 'shop.test' } });
    agent.destroy();
  });
});
