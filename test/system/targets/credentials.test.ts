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
let place: RecordingTarget;

beforeAll(async () => {
  upstream = await FakeCopilot.start();
  place = await RecordingTarget.start();
  daemon = await Daemon.startConnected({ upstream, environment: { LOG_LEVEL: 'trace' } });
}, 60_000);

afterAll(async () => {
  await daemon?.close();
  await upstream?.close();
  await place?.close();
});

const credentialed = () => place.url.replace('127.0.0.1', 'us%40er:p%3Ass@127.0.0.1');

describe('a user name and password in an address', () => {
  it('are refused, with what to give instead, and repeated nowhere', async () => {
    const { id } = await daemon.addTarget('plain', place.url);
    for (const [method, path, rest] of [
      ['POST', '/targets', { name: 'credentialed' }],
      ['PATCH', `/targets/${id}`, {}],
      ['POST', '/targets/test', {}],
    ] as const) {
      const { status, body } = await daemon.request(method, path, { ...rest, url: credentialed() });
      expect([status, body]).toMatchObject([
        422,
        {
          code: 'target_refused',
          errors: [{ path: 'url', message: expect.stringContaining('secret header') }],
        },
      ]);
      expect(JSON.stringify(body)).not.toContain('p%3Ass');
    }
    expect(place.hits).toEqual([]);
    await daemon.request('DELETE', `/targets/${id}`);
  });

  it('that an earlier version stored are a secret header from the next start on, and sent as before', async () => {
    const own = { headers: [{ name: 'authorization', value: 'Bearer own', secret: true }] };
    const [bare, with_, removed] = [
      await daemon.addTarget('bare', place.url),
      await daemon.addTarget('with a header', place.url, own),
      await daemon.addTarget('removed', place.url),
    ];
    await daemon.request('DELETE', `/targets/${removed.id}`);
    await daemon.stop();
    daemon.alterDatabase(`UPDATE targets SET url = '${credentialed()}'`);
    await daemon.restart();
    const urls = daemon.rows<{ url: string }>('SELECT url FROM targets').map(({ url }) => url);
    expect(new Set(urls)).toEqual(new Set([place.url]));
    const secret = [{ name: 'authorization', value: null, secret: true }];
    for (const { id } of [bare, with_]) {
      const shown = await daemon.get<Target>(`/targets/${id}`);
      expect(shown).toMatchObject({ url: place.url, headers: secret });
    }
    await emit(daemon, 'deal.created', { id: 1 });
    await until('both are sent to', () => place.hits.length === 2);
    const sent = place.hits.map(({ headers }) => headers.authorization);
    expect(new Set(sent)).toEqual(new Set([BASIC, 'Bearer own']));
    const { data } = await daemon.get<Page<{ subject: { id: string }; actor: { kind: string } }>>(
      '/audit?action=target.change',
    );
    const sealed = data.filter(({ actor }) => actor.kind === 'switchboard').map(({ subject }) => subject.id);
    expect(sealed).toEqual(expect.arrayContaining([removed, with_, bare].map(({ id }) => id)));
    expect(daemon.output).not.toContain('p%3Ass');
  });
});

describe('the query of an address', () => {
  it('is shown to whoever may change the target, and to nobody who may only read; nor is it logged', async () => {
    const url = `${place.url}&api_key=${KEY_IN_QUERY}`;
    const { id } = await daemon.addTarget('keyed', url);
    const get = async (scope: string, path: string) => {
      const { body } = await daemon.request('POST', '/tokens', { name: scope, scopes: [scope] });
      const { secret } = body as { secret: string };
      const answer = await fetch(`${daemon.url}/api/v1${path}`, {
        headers: { authorization: `Bearer ${secret}` },
      });
      return answer.text();
    };
    for (const path of [`/targets/${id}`, '/targets']) {
      expect(await get('operate', path)).toContain(url);
      const text = await get('read', path);
      expect(text).not.toContain(KEY_IN_QUERY);
      expect(text).toContain(`${new URL(place.url).origin}/events?***`);
    }
    await daemon.request('PATCH', `/targets/${id}`, { name: 'keyed still' });
    expect(daemon.output).toContain('keyed still');
    expect(daemon.output).not.toContain(KEY_IN_QUERY);
  });
});

it('no secret stands in clear on the disk but the two that are files of their own', async () => {
  const client = makeCertificate({ name: 'client' });
  const made = await daemon.addTarget('sealed', place.url, {
    headers: [{ name: 'x-api-key', value: 'canary-in-a-header', secret: true }],
    tls: client,
  });
  const [webhook] = upstream.webhooks.values();
  const issued = upstream.requests.map(({ headers }) => headers.authorization?.replace('Bearer ', ''));
  const secrets = [
    'canary-in-a-header',
    ...client.key.split('\n').filter((line) => line.length > 40),
    made.secret,
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
