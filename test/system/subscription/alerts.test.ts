import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AlertSummary } from '../../../src/contract/alert';
import type { Page } from '../../../src/contract/page';
import type { Subscription } from '../../../src/contract/subscription';
import { makeCertificate } from '../../support/fakes/certificates';
import { Daemon } from '../../support/daemon/daemon';
import { freePort } from '../../support/free-port';
import { passTo, PublicProxy, type FrontBehaviour } from '../../support/fakes/public-proxy';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';
import { FakeCopilot } from '../../support/fakes/copilot';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const CHECK_EVERY_MS = 5 * MINUTE_MS;
const PROVEN_EVERY_MS = 15 * MINUTE_MS;

const badGateway: FrontBehaviour = (_, __, response) => void response.writeHead(502).end('Bad gateway');

describe('A hub that is reached through a front', () => {
  let front: PublicProxy;
  let board: Switchboard;
  let through: FrontBehaviour;

  beforeAll(async () => {
    front = await PublicProxy.startPlain();
    const port = await freePort();
    through = passTo(`http://127.0.0.1:${port}`);
    front.behaviour = through;
    board = await Switchboard.start({ environment: { PUBLIC_URL: front.url, PORT: String(port) } });
    await until('the first proof', async () => (await subscription()).probe !== null);
  });
  afterAll(async () => {
    await board?.end();
    await front?.close();
  });

  const subscription = async () => (await board.ask('/subscription')).json as Subscription;
  const alert = async (type: string, state = 'active') =>
    ((await board.ask(`/alerts?state=${state}`)).json as Page<AlertSummary>).data.find(
      (one) => one.type === type,
    );
  const alarmed = async (type: string) => {
    await until('the alarm', async () => {
      const raised = await alert(type);
      if (raised === undefined) board.clock.move(1_000);
      return raised !== undefined;
    });
    return alert(type);
  };
  const resolved = async (type: string) => {
    await until('its end', async () => (await alert(type)) === undefined);
    await until('its end on disk', async () => (await alert(type, 'resolved')) !== undefined);
    return alert(type, 'resolved');
  };
  /** The proof that is due by then. */
  const proveAfter = async (ms: number) => {
    const { probe } = await subscription();
    board.clock.move(ms);
    await until('the next proof', async () => (await subscription()).probe?.at !== probe?.at);
    return (await subscription()).probe!;
  };

  it('is proven to be reachable every quarter of an hour', async () => {
    for (let i = 0; i < 2; i += 1)
      expect(await proveAfter(PROVEN_EVERY_MS)).toMatchObject({ cause: null, failures: 0 });
  });

  it('alarms once two proofs in a row have failed, the second a minute after the first', async () => {
    front.behaviour = badGateway;
    expect(await proveAfter(PROVEN_EVERY_MS)).toMatchObject({ cause: 'proxy', failures: 1 });
    expect(await alert('relay.subscription.unreachable')).toBeUndefined();
    expect(await proveAfter(MINUTE_MS)).toMatchObject({ cause: 'proxy', failures: 2 });
    expect(await alarmed('relay.subscription.unreachable')).toMatchObject({
      severity: 'critical',
      sentence: expect.stringContaining('answered 502'),
    });

    front.behaviour = through;
    expect(await proveAfter(PROVEN_EVERY_MS)).toMatchObject({ cause: null, failures: 0 });
    expect(await resolved('relay.subscription.unreachable')).toMatchObject({
      resolution: 'This hub is reachable from outside again.',
    });
  });

  it('believes notifications more than a proof from inside', async () => {
    front.behaviour = badGateway;
    for (let i = 0; i < 3; i += 1) {
      await board.emit('deal.created');
      expect(await proveAfter(PROVEN_EVERY_MS)).toMatchObject({ cause: 'proxy', failures: 0 });
    }
    expect(await proveAfter(PROVEN_EVERY_MS)).toMatchObject({ cause: 'proxy', failures: 1 });
    front.behaviour = through;
    expect(await proveAfter(MINUTE_MS)).toMatchObject({ failures: 0 });
  });

  it('alarms once its webhook could not be checked for more than three checks', async () => {
    board.upstream.misbehave('GET /v1/webhooks', { status: 500 });
    board.upstream.misbehave('PATCH /v1/webhooks/:id', { status: 500 });
    board.clock.move(3 * CHECK_EVERY_MS);
    expect(await alarmed('relay.subscription.unchecked')).toMatchObject({
      sentence: expect.stringContaining('it was last seen there at'),
    });
    board.upstream.behave();
    board.clock.move(CHECK_EVERY_MS);
    expect(await resolved('relay.subscription.unchecked')).toMatchObject({
      resolution: 'The webhook was found at Co-Pilot again.',
    });
  });
});

describe('The certificate of PUBLIC_URL', () => {
  it('alarms while it ends within fourteen days', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-certificate-'));
    const authority = { name: 'Authority', ...makeCertificate({ name: 'Authority', authority: true }) };
    writeFileSync(join(folder, 'authority.pem'), authority.cert);
    const goodFor = (days: number) =>
      makeCertificate({ name: 'localhost', issuer: authority, notAfter: Date.now() + days * DAY_MS });
    const upstream = await FakeCopilot.start();
    const front = await PublicProxy.start(goodFor(13));
    const daemon = await Daemon.start({
      upstream,
      environment: { PUBLIC_URL: front.url, NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem') },
    });
    try {
      front.behaviour = passTo(daemon.url);
      await daemon.connect();
      const expiring = async () =>
        (await daemon.get<Page<AlertSummary>>('/alerts')).data.find(
          ({ type }) => type === 'relay.certificate.expiring',
        );
      await until('the alarm', async () => (await expiring()) !== undefined);
      const { probe } = await daemon.get<Subscription>('/subscription');
      expect(await expiring()).toMatchObject({
        severity: 'warning',
        sentence: expect.stringContaining(`expires at ${probe?.certificate_ends_at}`),
      });
      front.show(goodFor(15));
      await daemon.request('POST', '/subscription/probe');
      await until('its end', async () => (await expiring()) === undefined);
    } finally {
      await daemon.close();
      await front.close();
      await upstream.close();
      rmSync(folder, { recursive: true });
    }
  }, 60_000);
});
