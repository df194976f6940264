import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AlertSummary } from '../../../src/contract/alert';
import type { HubHealth } from '../../../src/contract/health';
import type { Page } from '../../../src/contract/page';
import type { Subscription } from '../../../src/contract/subscription';
import { makeCertificate } from '../../support/fakes/certificates';
import { Daemon } from '../../support/daemon/daemon';
import { freePort } from '../../support/free-port';
import { passTo, PublicProxy, type ProxyBehaviour } from '../../support/fakes/public-proxy';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';
import { FakeCopilot } from '../../support/fakes/copilot';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const CHECK_EVERY_MS = 5 * MINUTE_MS;
const CHECK_INTERVAL_MS = 15 * MINUTE_MS;

const badGateway: ProxyBehaviour = (_, __, response) => void response.writeHead(502).end('Bad gateway');

describe('A hub behind a proxy', () => {
  let proxy: PublicProxy;
  let switchboard: Switchboard;
  let through: ProxyBehaviour;

  beforeAll(async () => {
    proxy = await PublicProxy.startPlain();
    const port = await freePort();
    through = passTo(`http://127.0.0.1:${port}`);
    proxy.behaviour = through;
    switchboard = await Switchboard.start({ environment: { PUBLIC_URL: proxy.url, PORT: String(port) } });
    await until('the first check has run', async () => (await subscription()).reachability !== null);
  });
  afterAll(async () => {
    await switchboard?.end();
    await proxy?.close();
  });

  const subscription = async () => (await switchboard.ask('/subscription')).json as Subscription;
  const alert = async (type: string, state = 'active') =>
    ((await switchboard.ask(`/alerts?state=${state}`)).json as Page<AlertSummary>).data.find(
      (one) => one.type === type,
    );
  const raisedAlert = async (type: string) => {
    await until('the alert is raised', async () => {
      const raised = await alert(type);
      if (raised === undefined) switchboard.clock.move(1_000);
      return raised !== undefined;
    });
    return alert(type);
  };
  const resolved = async (type: string) => {
    await until('the alert is resolved', async () => (await alert(type)) === undefined);
    await until('its end is stored', async () => (await alert(type, 'resolved')) !== undefined);
    return alert(type, 'resolved');
  };
  /** The result of the next check, after the clock has moved by `ms`. */
  const checkAfter = async (ms: number) => {
    const { reachability } = await subscription();
    switchboard.clock.move(ms);
    await until(
      'the next check has run',
      async () => (await subscription()).reachability?.at !== reachability?.at,
    );
    return (await subscription()).reachability!;
  };

  it('is checked every 15 minutes', async () => {
    for (let i = 0; i < 2; i += 1)
      expect(await checkAfter(CHECK_INTERVAL_MS)).toMatchObject({ cause: null, failures: 0 });
  });

  it('raises an alert after two consecutive failed checks, the second a minute after the first', async () => {
    proxy.behaviour = badGateway;
    expect(await checkAfter(CHECK_INTERVAL_MS)).toMatchObject({ cause: 'proxy', failures: 1 });
    expect(await alert('relay.subscription.unreachable')).toBeUndefined();
    expect(await checkAfter(MINUTE_MS)).toMatchObject({ cause: 'proxy', failures: 2 });
    expect(await raisedAlert('relay.subscription.unreachable')).toMatchObject({
      severity: 'critical',
      sentence: expect.stringContaining('responded with 502'),
    });

    proxy.behaviour = through;
    expect(await checkAfter(CHECK_INTERVAL_MS)).toMatchObject({ cause: null, failures: 0 });
    expect(await resolved('relay.subscription.unreachable')).toMatchObject({
      resolution: 'This hub is reachable from outside again.',
    });
  });

  it('trusts notifications more than a check from inside', async () => {
    proxy.behaviour = badGateway;
    for (let i = 0; i < 3; i += 1) {
      await switchboard.emit('deal.created');
      expect(await checkAfter(CHECK_INTERVAL_MS)).toMatchObject({ cause: 'proxy', failures: 0 });
    }
    expect(await checkAfter(CHECK_INTERVAL_MS)).toMatchObject({ cause: 'proxy', failures: 1 });
    proxy.behaviour = through;
    expect(await checkAfter(MINUTE_MS)).toMatchObject({ failures: 0 });
  });

  it('raises an alert once its webhook could not be checked for more than three checks', async () => {
    switchboard.upstream.misbehave('GET /v1/webhooks', { status: 500 });
    switchboard.upstream.misbehave('PATCH /v1/webhooks/:id', { status: 500 });
    switchboard.clock.move(CHECK_EVERY_MS);
    await until('one that failed is listed', async () => {
      const { issues } = (await switchboard.ask('/health')).json as HubHealth;
      const issue = issues.find(({ code }) => code === 'subscription.unchecked');
      return issue?.severity === 'warning' && /last check failed.* 500/.test(issue.sentence);
    });
    switchboard.clock.move(2 * CHECK_EVERY_MS);
    expect(await raisedAlert('relay.subscription.unchecked')).toMatchObject({
      sentence: expect.stringContaining('it was last seen there at'),
    });
    switchboard.upstream.behave();
    switchboard.clock.move(CHECK_EVERY_MS);
    expect(await resolved('relay.subscription.unchecked')).toMatchObject({
      resolution: 'The webhook was found at Co-Pilot again.',
    });
  });
});

describe('the certificate of PUBLIC_URL', () => {
  it('raises an alert while it expires within fourteen days', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-certificate-'));
    const authority = { name: 'Authority', ...makeCertificate({ name: 'Authority', authority: true }) };
    writeFileSync(join(folder, 'authority.pem'), authority.cert);
    const certificateFor = (days: number) =>
      makeCertificate({ name: 'localhost', issuer: authority, notAfter: Date.now() + days * DAY_MS });
    const upstream = await FakeCopilot.start();
    const proxy = await PublicProxy.start(certificateFor(13));
    const daemon = await Daemon.start({
      upstream,
      environment: { PUBLIC_URL: proxy.url, NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem') },
    });
    try {
      proxy.behaviour = passTo(daemon.url);
      await daemon.connect();
      const expiring = async () =>
        (await daemon.get<Page<AlertSummary>>('/alerts')).data.find(
          ({ type }) => type === 'relay.certificate.expiring',
        );
      await until('the alert is raised', async () => (await expiring()) !== undefined);
      const { reachability } = await daemon.get<Subscription>('/subscription');
      expect(await expiring()).toMatchObject({
        severity: 'warning',
        sentence: expect.stringContaining(`expires at ${reachability?.certificate_ends_at}`),
      });
      proxy.show(certificateFor(15));
      await daemon.request('POST', '/subscription/reachability');
      await until('the alert is resolved', async () => (await expiring()) === undefined);
    } finally {
      await daemon.close();
      await proxy.close();
      await upstream.close();
      rmSync(folder, { recursive: true });
    }
  });
});
