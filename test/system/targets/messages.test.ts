import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '../../../src/contract/page';
import type { Target } from '../../../src/contract/target';
import type { MessagePreview, TestOutcome } from '../../../src/contract/target-test';
import { makeCertificate } from '../../support/fakes/certificates';
import { FakeCopilot } from '../../support/fakes/copilot';
import { MAIL_PASSWORD, MAIL_USER, MailServer } from '../../support/fakes/mail-server';
import { MessageServices, RULES, type HttpFormat } from '../../support/fakes/message-services';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { Daemon } from '../../support/daemon/daemon';
import { emit } from '../../support/daemon/emit';
import { until } from '../../support/until';

const FORMATS = Object.keys(RULES) as HttpFormat[];
const authority = { name: 'An authority', ...makeCertificate({ name: 'An authority', authority: true }) };
const TLS = { ca: authority.cert };
const CREDENTIALS = `${encodeURIComponent(MAIL_USER)}:${encodeURIComponent(MAIL_PASSWORD)}`;
const HEARTBEAT_PATH = '/ping/heartbeat-secret';

let upstream: FakeCopilot;
let daemon: Daemon;
let services: MessageServices;
let smtps: MailServer;
let smtp: MailServer;
/** The times of heartbeat requests; it responds with the status that is set. */
const monitor = { hits: 0, status: 200, server: createServer() };

beforeAll(async () => {
  const certified = makeCertificate({ name: 'mail', issuer: authority });
  monitor.server.on('request', (request, response) => {
    if (request.url === HEARTBEAT_PATH && request.method === 'GET') monitor.hits += 1;
    response.writeHead(monitor.status).end();
  });
  await new Promise<void>((resolve) => monitor.server.listen(0, '127.0.0.1', resolve));
  [upstream, services, smtps, smtp] = await Promise.all([
    FakeCopilot.start(),
    MessageServices.start(),
    MailServer.start({ ...certified, secure: true }),
    MailServer.start(certified),
  ]);
  daemon = await Daemon.startConnected({
    upstream,
    environment: { SWITCHBOARD_HEARTBEAT_URL: heartbeatUrl(), LOG_LEVEL: 'info' },
  });
});

afterAll(async () => {
  await daemon?.close();
  await Promise.all([upstream?.close(), services?.close(), smtps?.close(), smtp?.close()]);
  monitor.server.close();
});

const references = (mail: string | undefined) => /^References: (.*)\r$/im.exec(mail ?? '')?.[1];
const heartbeatUrl = () =>
  `http://127.0.0.1:${(monitor.server.address() as AddressInfo).port}${HEARTBEAT_PATH}`;
const mailUrl = (server: MailServer, to = 'ops@example.com,boss@example.com') =>
  `${server === smtps ? 'smtps' : 'smtp'}://${CREDENTIALS}@127.0.0.1:${server.port}?from=hub@example.com&to=${to}`;
const testOf = async (settings: object) => {
  const { status, body } = await daemon.request('POST', '/targets/test', settings);
  expect(status).toBe(200);
  return body as TestOutcome;
};
const errorsOf = async (settings: object) => {
  const { status, body } = await daemon.request('POST', '/targets', { name: 'faulty', ...settings });
  expect(status).toBe(422);
  return (body as { errors: { path: string; message: string }[] }).errors.map(({ path }) => path);
};

it.each(FORMATS)('a test with the format %s is accepted by the service', async (format) => {
  services.accepted[format].length = 0;
  expect(await testOf({ url: services.urlOf(format), format })).toMatchObject({
    delivered: true,
    error: null,
  });
  const bodies = services.accepted[format].map(({ body }) => body);
  if (format === 'pagerduty')
    expect(bodies.map((body) => (JSON.parse(body) as { event_action: string }).event_action)).toEqual([
      'trigger',
      'resolve',
    ]);
  else expect(bodies).toEqual([expect.stringContaining('This is a test from Switchboard.')]);
});

it('a preview shows the message of each format in each state, without a key', async () => {
  for (const format of FORMATS)
    for (const state of ['raised', 'repeated', 'resolved']) {
      const { status, body } = await daemon.request('POST', '/targets/preview/message', { format, state });
      expect(status).toBe(200);
      const preview = body as MessagePreview;
      expect(preview.headers['content-type']).toBeDefined();
      if (format !== 'pagerduty') expect(() => RULES[format](preview)).not.toThrow();
      else expect(JSON.parse(preview.body)).toMatchObject({ routing_key: '***' });
    }
  const { body } = await daemon.request('POST', '/targets/preview/message', { format: 'email' });
  expect(body).toMatchObject({ headers: { subject: expect.stringContaining('This is a test') } });
});

describe('an e-mail', () => {
  it('is sent over TLS, or with STARTTLS, to all recipients, after a login', async () => {
    for (const server of [smtps, smtp]) {
      const outcome = await testOf({ url: mailUrl(server), format: 'email', tls: TLS });
      expect(outcome).toMatchObject({ delivered: true, status: 250 });
      const [mail] = server.mails.splice(0);
      expect(mail).toMatchObject({ from: 'hub@example.com', to: ['ops@example.com', 'boss@example.com'] });
      expect(mail!.isSecure).toBe(true);
      expect(mail!.text).toMatch(/^Subject: Warning: test: This is a test from Switchboard\.\r$/m);
      expect(mail!.text).toMatch(/^Message-ID: <evt_\w+@localhost-\d+>\r$/im);
    }
  });

  it('that the server rejects fails with its reply, and without the password', async () => {
    const rejected = await testOf({ url: mailUrl(smtps, 'nobody@example.com'), format: 'email', tls: TLS });
    expect(rejected).toMatchObject({ delivered: false, status: null, error: 'smtp_reply' });
    expect(rejected.excerpt).toContain('550 No such mailbox');
    const url = mailUrl(smtps).replace(CREDENTIALS, 'hub:wrong-password-of-the-hub');
    const denied = await testOf({ url, format: 'email', tls: TLS });
    expect(denied).toMatchObject({ delivered: false, error: 'smtp_reply' });
    expect(JSON.stringify(denied)).not.toContain('wrong-password');
    expect(smtps.mails).toEqual([]);
  });

  it('is not sent to a server whose certificate is not trusted, nor with a password but without encryption', async () => {
    expect(await testOf({ url: mailUrl(smtps), format: 'email' })).toMatchObject({
      error: 'certificate_unknown',
    });
    const plain = await MailServer.start({ hideSTARTTLS: true, disabledCommands: ['STARTTLS'] });
    const outcome = await testOf({ url: mailUrl(plain), format: 'email' });
    expect(outcome).toMatchObject({ delivered: false });
    expect(plain.mails).toEqual([]);
    await plain.close();
  });

  it('is not sent to a denied address', async () => {
    const settings = { url: 'smtp://169.254.169.254?from=a@example.com&to=b@example.com', format: 'email' };
    expect(await errorsOf(settings)).toEqual(['url']);
  });
});

it('a target whose settings do not fit its format is rejected', async () => {
  const url = services.urlOf('slack');
  expect(await errorsOf({ url, format: 'slack', events: ['deal.*', 'relay.*'] })).toEqual(['events']);
  expect(await errorsOf({ url, format: 'slack', events: ['*'] })).toEqual(['events']);
  expect(await errorsOf({ url, format: 'email' })).toEqual(['url']);
  expect(await errorsOf({ url: 'smtp://mail.example?from=a@b.c&to=d@e.f' })).toEqual(['url']);
  expect(await errorsOf({ url: services.urlOf('text'), format: 'pagerduty' })).toEqual(['url']);
  for (const query of [
    '',
    '?from=a@b.c',
    '?from=a&to=d@e.f',
    '?from=a@b.c&to=d',
    '?from=a@b.c&to=d@e.f&cc=x@y.z',
  ])
    expect((await errorsOf({ url: `smtp://mail.example${query}`, format: 'email' })).length).toBeGreaterThan(
      0,
    );
});

it('alerts reach every service and mailbox once, also across a restart, and so does their end', async () => {
  for (const format of FORMATS) services.accepted[format].length = 0;
  const orders = await RecordingTarget.start(404);
  const policy = { retry: { delays_s: [] }, breaker: null };
  const { id } = await daemon.addTarget('orders', orders.url, { policy });
  for (const format of FORMATS) await daemon.addTarget(format, services.urlOf(format), { format });
  await daemon.addTarget('mail', mailUrl(smtps), { format: 'email', tls: TLS });
  const counts = () => [...FORMATS.map((format) => services.accepted[format].length), smtps.mails.length];
  const allToldTimes = async (count: number) => {
    try {
      await until('all were told', () => counts().every((one) => one === count));
    } catch (error) {
      const found = JSON.stringify({ told: counts(), rejected: services.rejected });
      throw new Error(`${found}\n${daemon.output.slice(-4_000)}`, { cause: error });
    }
  };

  for (let deal = 1; deal <= 5; deal += 1) await emit(daemon, 'deal.created', { id: deal });
  await allToldTimes(1);
  await daemon.stop();
  await daemon.restart();
  orders.respondWith(200);
  await daemon.request('POST', '/deliveries/retry', { target: id });
  await allToldTimes(2);
  expect(services.rejected).toEqual([]);
  const [raised, resolved] = smtps.mails.map(({ text }) => text);
  expect(raised).toMatch(/^Subject: Critical: delivery dead: Deliveries to orders became dead letters/m);
  expect(resolved).toMatch(
    /^Subject: Resolved: delivery dead: All dead letters were retried, discarded, or delivered by a replay\./m,
  );
  expect(references(raised)).toMatch(/^<alr_\w+@/);
  expect(references(resolved)).toBe(references(raised));
  const deliveries = async () => {
    const page = await daemon.get<Page<{ target_name: string; state: string }>>('/deliveries?limit=200');
    return page.data.filter(({ target_name: name }) => name !== 'orders');
  };
  await until('all are stored as delivered', async () =>
    (await deliveries()).every(({ state }) => state === 'succeeded'),
  );
  expect(await deliveries()).toHaveLength(2 * (FORMATS.length + 1));
  await orders.close();
});

it('secrets in addresses are stored encrypted, and shown neither to readers nor in the log', async () => {
  const { data } = await daemon.get<Page<Target>>('/targets');
  const mail = data.find(({ format }) => format === 'email')!;
  expect(mail.url).toBe(
    `smtps://127.0.0.1:${smtps.port}?from=hub@example.com&to=ops@example.com,boss@example.com`,
  );
  expect(mail.headers).toEqual([{ name: 'authorization', value: null, secret: true }]);
  const pagerduty = data.find(({ format }) => format === 'pagerduty')!;
  expect(pagerduty.url).toMatch(/\/v2\/enqueue$/);
  expect(pagerduty.headers).toEqual([{ name: 'x-routing-key', value: null, secret: true }]);
  expect(pagerduty.policy.ordering).toBe('strict');

  const { body } = await daemon.request('POST', '/tokens', { name: 'reader', scopes: ['read'] });
  const { secret } = body as { secret: string };
  const response = await fetch(`${daemon.url}/api/v1/targets`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  const shown = await response.text();
  const stored = JSON.stringify(daemon.rows('SELECT url, headers FROM targets'));
  for (const key of MessageServices.secrets) expect(shown).not.toContain(key);
  for (const key of [MAIL_PASSWORD, encodeURIComponent(MAIL_PASSWORD), MessageServices.secrets.at(-1)!]) {
    expect(JSON.stringify(data)).not.toContain(key);
    expect(stored).not.toContain(key);
  }
  for (const key of [...MessageServices.secrets, MAIL_PASSWORD, 'heartbeat-secret'])
    expect(daemon.output).not.toContain(key);
});

it('a mail server with another address does not get the stored password', async () => {
  const { data } = await daemon.get<Page<Target>>('/targets');
  const { id } = data.find(({ format }) => format === 'email')!;
  const url = `smtp://127.0.0.1:${smtp.port}?from=hub@example.com&to=ops@example.com`;
  const { status, body } = await daemon.request('PATCH', `/targets/${id}`, { url, new_secret: true });
  expect([status, body]).toMatchObject([422, { errors: [{ path: 'headers' }] }]);
  const entered = await daemon.request('PATCH', `/targets/${id}`, {
    url: mailUrl(smtp),
    new_secret: true,
    tls: TLS,
  });
  expect(entered.status).toBe(200);
});

it('a stored password is not used for other recipients, nor for a text that somebody has edited', async () => {
  const { data } = await daemon.get<Page<Target>>('/targets');
  const { id, url } = data.find(({ format }) => format === 'email')!;
  const other = url!.replace('ops@example.com', 'victim@example.com');
  const named = { headers: [{ name: 'authorization', secret: true }], tls: TLS };
  const rejections = [
    await daemon.request('PATCH', `/targets/${id}`, { url: other }),
    await daemon.request('POST', '/targets/test', { url: other, format: 'email', target_id: id, ...named }),
  ];
  expect(rejections).toMatchObject([
    {
      status: 422,
      body: { errors: [{ path: 'headers' }], remedy: expect.stringContaining('Enter them again') },
    },
    { status: 422, body: { errors: [{ path: 'headers.0.value' }] } },
  ]);
  const [event] = (await daemon.get<Page<{ id: string }>>('/events')).data;
  const edited = { body: { data: { sentence: 'Please pay' } }, target_ids: [id] };
  const resent = await daemon.request('POST', `/events/${event!.id}/resend`, edited);
  expect(resent).toMatchObject({ status: 409, body: { code: 'target_not_json' } });
});

describe('heartbeat requests', () => {
  it('are sent while the daemon is healthy; their address is not shown', async () => {
    await until('one arrived', () => monitor.hits > 0);
    const settings = await daemon.get<{ secrets: object }>('/settings');
    expect(settings).toMatchObject({ secrets: { heartbeat_url: 'set' } });
    expect(JSON.stringify(settings)).not.toContain('heartbeat-secret');
  });

  it('that fail are logged without their address, and do not delay anything', async () => {
    await daemon.stop();
    monitor.status = 500;
    await daemon.restart();
    await until('the failure is logged', () => daemon.output.includes('did not accept a heartbeat request'));
    // On a slow machine the monitor may not respond in time.
    expect(daemon.output).toMatch(/"(status":500|code":"TimeoutError"),"msg":"SWITCHBOARD_HEARTBEAT_URL/);
    expect(daemon.output).not.toContain('heartbeat-secret');
  });
});
