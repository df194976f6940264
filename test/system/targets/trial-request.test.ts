import { Webhook } from 'standardwebhooks';
import type { Page } from '../../../src/contract/page';
import type { Target, TargetCreated, TestOutcome } from '../../../src/contract/target';
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
  receiver.answer(200);
});

const attempt = (body: object) => daemon.request('POST', '/targets/test', body);

describe('a test of an address that is not saved', () => {
  it('sends one sample with the headers given, tells the outcome, and saves nothing', async () => {
    receiver.answer(204);
    const headers = [{ name: 'x-team', value: 'sales', secret: true }];
    const { status, body } = await attempt({ url: receiver.url, headers });
    expect(status).toBe(200);
    expect(body as TestOutcome).toMatchObject({ delivered: true, status: 204, error: null });
    expect(receiver.hits).toHaveLength(1);
    expect(receiver.hits[0]!.headers).toMatchObject({ 'x-team': 'sales', 'switchboard-trigger': 'test' });
    expect((await daemon.get<Page<Target>>('/targets')).data).toEqual([]);
  });

  it('goes by the success codes given', async () => {
    receiver.answer(304);
    const { body } = await attempt({ url: receiver.url, policy: { success: [304] } });
    expect(body as TestOutcome).toMatchObject({ delivered: true, status: 304 });
  });

  it('takes what is left out from the target that it is for, and changes nothing of it', async () => {
    const made = await daemon.request('POST', '/targets', {
      name: 'orders',
      url: new URL('/saved', receiver.url).href,
      headers: [{ name: 'authorization', value: 'Bearer kept', secret: true }],
    });
    const { id, secret } = made.body as TargetCreated;
    const before = await daemon.get<Target>(`/targets/${id}`);
    const headers = [{ name: 'authorization', secret: true }];
    expect((await attempt({ url: receiver.url, headers, target_id: id })).status).toBe(200);
    const [hit] = receiver.hits;
    expect(hit!.headers['authorization']).toBe('Bearer kept');
    const signed = hit!.headers as Record<string, string>;
    expect(() => new Webhook(secret).verify(hit!.body, signed)).not.toThrow();
    expect(await daemon.get<Target>(`/targets/${id}`)).toEqual(before);
  });

  it.each([
    ['an address that targets may not have', { url: 'http://169.254.169.254/' }, 422, 'url'],
    [
      'a secret value that nobody knows',
      { url: 'http://127.0.0.1:9/', headers: [{ name: 'x', secret: true }] },
      422,
      'headers.0.value',
    ],
    [
      'a header that is ours',
      { url: 'http://127.0.0.1:9/', headers: [{ name: 'host', value: 'a' }] },
      422,
      'headers.0.name',
    ],
  ])('is refused for %s', async (_, trial, wanted, path) => {
    const { status, body } = await attempt(trial);
    expect(status).toBe(wanted);
    expect(body).toMatchObject({ errors: [expect.objectContaining({ path })] });
  });

  it('is refused for a target that there is not', async () => {
    const { status } = await attempt({ url: receiver.url, target_id: `tgt_${'0'.repeat(26)}` });
    expect(status).toBe(404);
    expect(receiver.hits).toEqual([]);
  });
});
