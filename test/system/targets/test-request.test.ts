import { Webhook } from 'standardwebhooks';
import type { Page } from '../../../src/contract/page';
import type { Target, TargetCreated } from '../../../src/contract/target';
import type { TestOutcome } from '../../../src/contract/target-test';
import { Daemon } from '../../support/daemon/daemon';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { FakeCopilot } from '../../support/fakes/copilot';

let upstream: FakeCopilot;
let daemon: Daemon;
let receiver: RecordingTarget;

beforeAll(async () => {
  upstream = await FakeCopilot.start();
  daemon = await Daemon.start({ upstream });
  receiver = await RecordingTarget.start();
});

afterAll(async () => {
  await daemon?.close();
  await receiver?.close();
  await upstream?.close();
});

beforeEach(() => {
  receiver.hits.length = 0;
  receiver.respondWith(200);
});

const testUrl = (body: object) => daemon.request('POST', '/targets/test', body);

describe('a test of a URL that is not saved', () => {
  it('sends one sample with the given headers, returns the outcome, and saves nothing', async () => {
    receiver.respondWith(204);
    const headers = [{ name: 'x-team', value: 'sales', secret: true }];
    const { status, body } = await testUrl({ url: receiver.url, headers });
    expect(status).toBe(200);
    expect(body as TestOutcome).toMatchObject({ delivered: true, status: 204, error: null });
    expect(receiver.hits).toHaveLength(1);
    expect(receiver.hits[0]!.headers).toMatchObject({ 'x-team': 'sales', 'switchboard-trigger': 'test' });
    expect((await daemon.get<Page<Target>>('/targets')).data).toEqual([]);
  });

  it('uses the given success codes', async () => {
    receiver.respondWith(304);
    const { body } = await testUrl({ url: receiver.url, policy: { success: [304] } });
    expect(body as TestOutcome).toMatchObject({ delivered: true, status: 304 });
  });

  it('takes missing values from the given target, which is not changed', async () => {
    const created = await daemon.request('POST', '/targets', {
      name: 'orders',
      url: new URL('/saved', receiver.url).href,
      headers: [{ name: 'authorization', value: 'Bearer kept', secret: true }],
    });
    const { id, secret } = created.body as TargetCreated;
    const before = await daemon.get<Target>(`/targets/${id}`);
    const headers = [{ name: 'authorization', secret: true }];
    expect((await testUrl({ url: receiver.url, headers, target_id: id })).status).toBe(200);
    const [hit] = receiver.hits;
    expect(hit!.headers['authorization']).toBe('Bearer kept');
    const signed = hit!.headers as Record<string, string>;
    expect(() => new Webhook(secret).verify(hit!.body, signed)).not.toThrow();
    expect(await daemon.get<Target>(`/targets/${id}`)).toEqual(before);
  });

  it.each([
    ['a denied address', { url: 'http://169.254.169.254/' }, 422, 'url'],
    [
      'a secret header without a known value',
      { url: 'http://127.0.0.1:9/', headers: [{ name: 'x', secret: true }] },
      422,
      'headers.0.value',
    ],
    [
      'a reserved header',
      { url: 'http://127.0.0.1:9/', headers: [{ name: 'host', value: 'a' }] },
      422,
      'headers.0.name',
    ],
  ])('is rejected for %s', async (_, trial, expectedStatus, path) => {
    const { status, body } = await testUrl(trial);
    expect(status).toBe(expectedStatus);
    expect(body).toMatchObject({ errors: [expect.objectContaining({ path })] });
  });

  it('is rejected for an unknown target', async () => {
    const { status } = await testUrl({ url: receiver.url, target_id: `tgt_${'0'.repeat(26)}` });
    expect(status).toBe(404);
    expect(receiver.hits).toEqual([]);
  });
});

describe('a test of a target', () => {
  let id: string;
  beforeAll(async () => {
    const created = await daemon.request('POST', '/targets', { name: 'sampled', url: receiver.url });
    ({ id } = created.body as TargetCreated);
  });

  const test = async (sample?: object) => {
    const { status } = await daemon.request('POST', `/targets/${id}/test`, sample);
    const [hit] = receiver.hits;
    return { status, trigger: hit?.headers['switchboard-trigger'], body: hit?.body.toString() };
  };

  it('sends a made-up notification, or one with the given type and data', async () => {
    const made = await test();
    expect(made).toMatchObject({ status: 200, trigger: 'test' });
    expect(JSON.parse(made.body!)).toMatchObject({ data: { name: 'Test from Switchboard' } });
    receiver.hits.length = 0;
    const { body } = await test({ type: 'deal.won', data: { id: 7 } });
    expect(JSON.parse(body!)).toMatchObject({ event: 'deal.won', data: { id: 7 } });
  });

  it('sends a given body as it is', async () => {
    expect(await test({ type: 'deal.won', raw: '{not JSON' })).toMatchObject({ body: '{not JSON' });
  });

  it.each([
    { data: 1, raw: '' },
    { event_id: 'evt_00000000000000000000000000', raw: '' },
  ])('is rejected for what says two things to send: %j', async (sample) => {
    expect(await test(sample)).toEqual({ status: 400, trigger: undefined, body: undefined });
  });
});
