import type { ServerResponse } from 'node:http';
import type { ReachabilityCheck } from '../../../src/contract/reachability';
import { reachabilityCheck } from '../../../src/contract/reachability';
import type { Subscription } from '../../../src/contract/subscription';
import { Daemon } from '../../support/daemon/daemon';
import { AUTHORITY, passTo, PublicProxy } from '../../support/fakes/public-proxy';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';
import { FakeCopilot } from '../../support/fakes/copilot';

const respond =
  (status: number, body: string, headers: Record<string, string> = {}) =>
  (_: unknown, __: unknown, response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(body);

describe('the reachability check', () => {
  let upstream: FakeCopilot;
  let proxy: PublicProxy;
  let daemon: Daemon;

  beforeAll(async () => {
    upstream = await FakeCopilot.start();
    proxy = await PublicProxy.start();
    daemon = await Daemon.start({
      upstream,
      environment: { PUBLIC_URL: proxy.url, NODE_EXTRA_CA_CERTS: AUTHORITY },
    });
  });

  afterAll(async () => {
    await daemon?.close();
    await proxy?.close();
    await upstream?.close();
  });

  const runCheck = async (): Promise<ReachabilityCheck> => {
    const { status, body } = await daemon.request('POST', '/subscription/reachability');
    expect(status).toBe(200);
    return reachabilityCheck.parse(body);
  };

  it('succeeds through a proxy that changes nothing', async () => {
    proxy.behaviour = passTo(daemon.url);
    expect(await runCheck()).toMatchObject({ reached: true, cause: null, remedy: null });
    expect((await daemon.get<Subscription>('/subscription')).reachability).toMatchObject({ reached: true });
  });

  it.each([
    ['a certificate out of date', 'expired', 'tls_expired'],
    ['a certificate for another name', 'wrong-name', 'tls_wrong_name'],
    ['a self-signed certificate', 'self-signed', 'tls_untrusted'],
  ] as const)('reports %s', async (_, certificate, cause) => {
    proxy.behaviour = passTo(daemon.url);
    proxy.show(certificate);
    expect(await runCheck()).toMatchObject({ reached: false, cause });
    proxy.show('good');
  });

  it.each([
    ['a proxy that does not reach the daemon', respond(502, 'Bad gateway'), 'proxy', 'responded with 502'],
    [
      'a page of a tunnel',
      respond(200, '<!doctype html><title>You are about to visit</title>', { 'content-type': 'text/html' }),
      'page',
      'HTML',
    ],
    ['another program', respond(404, 'no such route'), 'other_program', 'responded with 404'],
    ['another program that answers 200', respond(200, 'ok'), 'other_program', 'responded with 200'],
    [
      'a redirect',
      respond(301, '', { location: 'https://elsewhere.example/some/path' }),
      'redirect',
      'to https://elsewhere.example)',
    ],
  ])('reports %s', async (_, behaviour, cause, words) => {
    proxy.behaviour = behaviour;
    const found = await runCheck();
    expect(found).toMatchObject({ reached: false, cause });
    expect(found.sentence).toContain(words);
    expect(found.remedy).not.toBeNull();
  });

  it.each([
    [
      'a body that was parsed and serialized again',
      { body: (body: Buffer) => Buffer.from(JSON.stringify(JSON.parse(body.toString()))) },
      'body_altered',
    ],
    ['a removed header', { withoutHeader: 'x-switchboard-check' }, 'header_altered'],
    ['a replaced response', { answer: () => 'thank you' }, 'answer_altered'],
  ])('reports %s, although the request arrived', async (_, alterations, cause) => {
    proxy.behaviour = passTo(daemon.url, alterations);
    expect(await runCheck()).toMatchObject({ reached: true, cause });
  });

  it('recognizes another Switchboard by its response', async () => {
    const other = await Switchboard.start();
    try {
      proxy.behaviour = passTo(other.origin);
      expect(await runCheck()).toMatchObject({ reached: false, cause: 'other_instance' });
    } finally {
      await other.end();
    }
  });

  it('waits no longer than Co-Pilot does, once for concurrent requests', async () => {
    const held: ServerResponse[] = [];
    proxy.behaviour = (_, __, response) => void held.push(response);
    const [found, other] = await Promise.all([runCheck(), runCheck()]);
    for (const response of held) response.destroy();
    expect(held).toHaveLength(1);
    expect(other).toEqual(found);
    expect(found).toMatchObject({ reached: false, cause: 'timeout' });
    expect(found.sentence).toContain('does not prove that Co-Pilot cannot reach this hub');
  });

  it('closes its one-off URLs, and does not log them', async () => {
    proxy.behaviour = passTo(daemon.url);
    await runCheck();
    const keys = proxy.paths.map((path) => path.slice('/hooks/'.length));
    expect(new Set(keys).size).toBe(keys.length);
    for (const key of keys) expect(daemon.output).not.toContain(key);
    const again = await fetch(`${daemon.url}/hooks/${keys.at(-1)}`, { method: 'POST', body: '{}' });
    expect(again.status).toBe(404);
  });

  it('runs once the webhook is registered', async () => {
    const before = proxy.paths.length;
    proxy.behaviour = respond(502, 'Bad gateway');
    await daemon.connect();
    await until('the check has run', async () => {
      const { state, reachability } = await daemon.get<Subscription>('/subscription');
      return state === 'active' && reachability?.cause === 'proxy';
    });
    expect(proxy.paths).toHaveLength(before + 1);
  });

  it('reports a closed port, and that notifications arrive nevertheless', async () => {
    const webhook = [...upstream.webhooks.values()].at(-1)!;
    const body = Buffer.from(
      JSON.stringify({ event: 'deal.created', timestamp: '', webhook_id: webhook.webhook_id, data: {} }),
    );
    const inside = { ...webhook, url: `${daemon.url}${new URL(webhook.url).pathname}` };
    expect((await upstream.notify(inside, body, upstream.sign(webhook, body))).status).toBe(200);
    await proxy.close();
    const found = await runCheck();
    expect(found).toMatchObject({ reached: false, cause: 'refused' });
    expect(found.sentence).toContain('Notifications do arrive, the last at');
  });
});

describe('the reachability check without a proxy', () => {
  it('succeeds on loopback without settings', async () => {
    const switchboard = await Switchboard.start();
    try {
      const found = await switchboard.read(reachabilityCheck, '/subscription/reachability', {
        method: 'POST',
      });
      expect(found).toMatchObject({ reached: true, cause: null });
    } finally {
      await switchboard.end();
    }
  });

  it('reports a name that cannot be resolved', async () => {
    const upstream = await FakeCopilot.start();
    // Too long for DNS, so no name server is queried.
    const name = `${'a'.repeat(64)}.example`;
    const daemon = await Daemon.start({ upstream, environment: { PUBLIC_URL: `https://${name}` } });
    try {
      const { body } = await daemon.request('POST', '/subscription/reachability');
      expect(body).toMatchObject({ reached: false, cause: 'dns' });
    } finally {
      await daemon.close();
      await upstream.close();
    }
  });
});
