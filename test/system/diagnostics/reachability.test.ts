import type { ServerResponse } from 'node:http';
import type { Probe } from '../../../src/contract/probe';
import { probe as probeSchema } from '../../../src/contract/probe';
import type { Subscription } from '../../../src/contract/subscription';
import { Daemon } from '../../support/daemon/daemon';
import { AUTHORITY, passTo, PublicProxy } from '../../support/fakes/public-proxy';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';
import { FakeCopilot } from '../../support/fakes/copilot';

const answerOf =
  (status: number, body: string, headers: Record<string, string> = {}) =>
  (_: unknown, __: unknown, response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(body);

describe('the proof of the loop', () => {
  let upstream: FakeCopilot;
  let front: PublicProxy;
  let daemon: Daemon;

  beforeAll(async () => {
    upstream = await FakeCopilot.start();
    front = await PublicProxy.start();
    daemon = await Daemon.start({
      upstream,
      environment: { PUBLIC_URL: front.url, NODE_EXTRA_CA_CERTS: AUTHORITY },
    });
  }, 60_000);

  afterAll(async () => {
    await daemon?.close();
    await front?.close();
    await upstream?.close();
  });

  const prove = async (): Promise<Probe> => {
    const { status, body } = await daemon.request('POST', '/subscription/probe');
    expect(status).toBe(200);
    return probeSchema.parse(body);
  };

  it('succeeds where a proxy leads here and alters nothing', async () => {
    front.behaviour = passTo(daemon.url);
    expect(await prove()).toMatchObject({ reached: true, cause: null, remedy: null });
    expect((await daemon.get<Subscription>('/subscription')).probe).toMatchObject({ reached: true });
  });

  it.each([
    ['a certificate out of date', 'expired', 'tls_expired'],
    ['a certificate for another name', 'wrong-name', 'tls_wrong_name'],
    ['a self-signed certificate', 'self-signed', 'tls_untrusted'],
  ] as const)('names %s', async (_, certificate, cause) => {
    front.behaviour = passTo(daemon.url);
    front.show(certificate);
    expect(await prove()).toMatchObject({ reached: false, cause });
    front.show('good');
  });

  it.each([
    ['a proxy that does not reach us', answerOf(502, 'Bad gateway'), 'proxy', 'answered 502'],
    [
      'a page of a tunnel',
      answerOf(200, '<!doctype html><title>You are about to visit</title>', { 'content-type': 'text/html' }),
      'page',
      'HTML',
    ],
    ['another program', answerOf(404, 'no such route'), 'other_program', 'answered 404'],
    ['another program that answers 200', answerOf(200, 'ok'), 'other_program', 'answered 200'],
    [
      'a redirect',
      answerOf(301, '', { location: 'https://elsewhere.example/some/path' }),
      'redirect',
      'to https://elsewhere.example)',
    ],
  ])('names %s', async (_, behaviour, cause, words) => {
    front.behaviour = behaviour;
    const found = await prove();
    expect(found).toMatchObject({ reached: false, cause });
    expect(found.sentence).toContain(words);
    expect(found.remedy).not.toBeNull();
  });

  it.each([
    [
      'a body that was parsed and written again',
      { body: (body: Buffer) => Buffer.from(JSON.stringify(JSON.parse(body.toString()))) },
      'body_altered',
    ],
    ['a header that was taken out', { withoutHeader: 'x-switchboard-probe' }, 'header_altered'],
    ['an answer that was replaced', { answer: () => 'thank you' }, 'answer_altered'],
  ])('tells of %s, though the request came in', async (_, alterations, cause) => {
    front.behaviour = passTo(daemon.url, alterations);
    expect(await prove()).toMatchObject({ reached: true, cause });
  });

  it('knows another Switchboard by its answer', async () => {
    const other = await Switchboard.start();
    try {
      front.behaviour = passTo(other.origin);
      expect(await prove()).toMatchObject({ reached: false, cause: 'other_instance' });
    } finally {
      await other.end();
    }
  });

  it('waits no longer than Co-Pilot does', async () => {
    const held: ServerResponse[] = [];
    front.behaviour = (_, __, response) => void held.push(response);
    const found = await prove();
    for (const response of held) response.destroy();
    expect(found).toMatchObject({ reached: false, cause: 'timeout' });
    expect(found.sentence).toContain('does not prove that Co-Pilot cannot reach this hub');
  });

  it('leaves its one-off addresses neither open nor in the log', async () => {
    front.behaviour = passTo(daemon.url);
    await prove();
    const keys = front.paths.map((path) => path.slice('/hooks/'.length));
    expect(new Set(keys).size).toBe(keys.length);
    for (const key of keys) expect(daemon.output).not.toContain(key);
    const again = await fetch(`${daemon.url}/hooks/${keys.at(-1)}`, { method: 'POST', body: '{}' });
    expect(again.status).toBe(404);
  });

  it('is made by itself once the webhook is registered', async () => {
    const before = front.paths.length;
    front.behaviour = answerOf(502, 'Bad gateway');
    await daemon.connect();
    await until('the proof', async () => {
      const { state, probe } = await daemon.get<Subscription>('/subscription');
      return state === 'active' && probe?.cause === 'proxy';
    });
    expect(front.paths).toHaveLength(before + 1);
  });

  it('names a port where nothing listens, and says that notifications do arrive where they do', async () => {
    const webhook = [...upstream.webhooks.values()].at(-1)!;
    const body = Buffer.from(
      JSON.stringify({ event: 'deal.created', timestamp: '', webhook_id: webhook.webhook_id, data: {} }),
    );
    const inside = { ...webhook, url: `${daemon.url}${new URL(webhook.url).pathname}` };
    expect((await upstream.notify(inside, body, upstream.sign(webhook, body))).status).toBe(200);
    await front.close();
    const found = await prove();
    expect(found).toMatchObject({ reached: false, cause: 'refused' });
    expect(found.sentence).toContain('Notifications do arrive, the last at');
  });
});

describe('the proof of the loop, otherwise', () => {
  it('succeeds on loopback without anything set, and answers all who ask at once with one', async () => {
    const board = await Switchboard.start();
    try {
      const path = '/subscription/probe';
      const [one, other] = await Promise.all([
        board.read(probeSchema, path, { method: 'POST' }),
        board.read(probeSchema, path, { method: 'POST' }),
      ]);
      expect(one).toMatchObject({ reached: true, cause: null });
      expect(other).toEqual(one);
    } finally {
      await board.end();
    }
  });

  it('names a name that leads nowhere', async () => {
    const upstream = await FakeCopilot.start();
    // Too long for any name server: nobody is asked.
    const name = `${'a'.repeat(64)}.example`;
    const daemon = await Daemon.start({ upstream, environment: { PUBLIC_URL: `https://${name}` } });
    try {
      const { body } = await daemon.request('POST', '/subscription/probe');
      expect(body).toMatchObject({ reached: false, cause: 'dns' });
    } finally {
      await daemon.close();
      await upstream.close();
    }
  });
});
