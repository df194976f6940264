import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '../../../src/contract/page';
import type { Target } from '../../../src/contract/target';
import { makeCertificate } from '../../support/fakes/certificates';
import { Daemon } from '../../support/daemon/daemon';
import { emit } from '../../support/daemon/emit';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { until } from '../../support/until';
import { FakeCopilot } from '../../support/fakes/copilot';

const KEY_IN_QUERY = 'key-in-the-query';
const BASIC = `Basic ${Buffer.from('us@er:p:ss').toString('base64')}`;

let upstream: FakeCopilot;
let daemon: Daemon;
let receiver: RecordingTarget;

beforeAll(async () => {
  upstream = await FakeCopilot.start();
  receiver = await RecordingTarget.start();
  daemon = await Daemon.startConnected({ upstream, environment: { LOG_LEVEL: 'trace' } });
});

afterAll(async () => {
  await daemon?.close();
  await upstream?.close();
  await receiver?.close();
});

const credentialed = () => receiver.url.replace('127.0.0.1', 'us%40er:p%3Ass@127.0.0.1');

describe('a user name and password in a URL', () => {
  it('are rejected with an alternative, and do not appear in the response', async () => {
    const { id } = await daemon.addTarget('plain', receiver.url);
    for (const [method, path, rest] of [
      ['POST', '/targets', { name: 'credentialed' }],
      ['PATCH', `/targets/${id}`, {}],
      ['POST', '/targets/test', {}],
    ] as const) {
      const { status, body } = await daemon.request(method, path, { ...rest, url: credentialed() });
      expect([status, body]).toMatchObject([
        422,
        {
          code: 'target_invalid',
          errors: [{ path: 'url', message: expect.stringContaining('secret header') }],
        },
      ]);
      expect(JSON.stringify(body)).not.toContain('p%3Ass');
    }
    expect(receiver.hits).toEqual([]);
    await daemon.request('DELETE', `/targets/${id}`);
  });

  it('become a secret header at the next start if an earlier version stored them, and are sent as before', async () => {
    const own = { headers: [{ name: 'authorization', value: 'Bearer own', secret: true }] };
    const [bare, with_, removed] = [
      await daemon.addTarget('bare', receiver.url),
      await daemon.addTarget('with a header', receiver.url, own),
      await daemon.addTarget('removed', receiver.url),
    ];
    await daemon.request('DELETE', `/targets/${removed.id}`);
    await daemon.stop();
    daemon.alterDatabase(`UPDATE targets SET url = '${credentialed()}'`);
    await daemon.restart();
    const urls = daemon.rows<{ url: string }>('SELECT url FROM targets').map(({ url }) => url);
    expect(new Set(urls)).toEqual(new Set([receiver.url]));
    const secret = [{ name: 'authorization', value: null, secret: true }];
    for (const { id } of [bare, with_]) {
      const shown = await daemon.get<Target>(`/targets/${id}`);
      expect(shown).toMatchObject({ url: receiver.url, headers: secret });
    }
    await emit(daemon, 'deal.created', { id: 1 });
    await until('both receive it', () => receiver.hits.length === 2);
    const sent = receiver.hits.map(({ headers }) => headers.authorization);
    expect(new Set(sent)).toEqual(new Set([BASIC, 'Bearer own']));
    const { data } = await daemon.get<Page<{ subject: { id: string }; actor: { kind: string } }>>(
      '/audit?action=target.change',
    );
    const sealed = data.filter(({ actor }) => actor.kind === 'switchboard').map(({ subject }) => subject.id);
    expect(sealed).toEqual(expect.arrayContaining([removed, with_, bare].map(({ id }) => id)));
    expect(daemon.output).not.toContain('p%3Ass');
  });
});

describe('the query of a URL', () => {
  it('is shown only to those who may change the target, and is not logged', async () => {
    const url = `${receiver.url}&api_key=${KEY_IN_QUERY}`;
    const { id } = await daemon.addTarget('keyed', url);
    const get = async (scope: string, path: string) => {
      const { body } = await daemon.request('POST', '/tokens', { name: scope, scopes: [scope] });
      const { secret } = body as { secret: string };
      const response = await fetch(`${daemon.url}/api/v1${path}`, {
        headers: { authorization: `Bearer ${secret}` },
      });
      return response.text();
    };
    for (const path of [`/targets/${id}`, '/targets']) {
      expect(await get('operate', path)).toContain(url);
      const text = await get('read', path);
      expect(text).not.toContain(KEY_IN_QUERY);
      expect(text).toContain(`${new URL(receiver.url).origin}/events?***`);
    }
    await daemon.request('PATCH', `/targets/${id}`, { name: 'keyed still' });
    await until('the change is logged', () => daemon.output.includes('keyed still'));
    expect(daemon.output).not.toContain(KEY_IN_QUERY);
  });
});

it('the disk holds no secret in clear text except the two secret files', async () => {
  const client = makeCertificate({ name: 'client' });
  const created = await daemon.addTarget('sealed', receiver.url, {
    headers: [{ name: 'x-api-key', value: 'canary-in-a-header', secret: true }],
    tls: client,
  });
  const [webhook] = upstream.webhooks.values();
  const issued = upstream.requests.map(({ headers }) => headers.authorization?.replace('Bearer ', ''));
  const secrets = [
    'canary-in-a-header',
    ...client.key.split('\n').filter((line) => line.length > 40),
    created.secret,
    webhook!.secret,
    new URL(webhook!.url).pathname.split('/').at(-1)!,
    ...issued.filter((token) => token !== undefined),
  ];
  await daemon.stop();
  const files = readdirSync(daemon.dataDir).filter((file) => !['secret.key', 'admin.token'].includes(file));
  expect(files).toContain('switchboard.db');
  for (const file of files) {
    const bytes = readFileSync(join(daemon.dataDir, file));
    expect(secrets.filter((secret) => bytes.includes(secret))).toEqual([]);
  }
});
