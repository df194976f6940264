import { Webhook } from 'standardwebhooks';
import { auditEntry } from '../../../src/contract/audit';
import { pageOf } from '../../../src/contract/page';
import { problem } from '../../../src/contract/problem';
import { target, targetPatched, type TargetCreated } from '../../../src/contract/target';
import { makeCertificate } from '../../support/fakes/certificates';
import { RecordingTarget, type Hit } from '../../support/fakes/recording-target';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const AUTHORIZATION = 'Bearer kept-for-its-origin';

let switchboard: Switchboard;
let receiver: RecordingTarget;
let elsewhere: RecordingTarget;
let created: TargetCreated;

beforeAll(async () => {
  receiver = await RecordingTarget.start();
  elsewhere = await RecordingTarget.start();
  switchboard = await Switchboard.start();
});

afterAll(async () => {
  await switchboard.end();
  await Promise.all([receiver, elsewhere].map((one) => one.close()));
});

beforeEach(async () => {
  elsewhere.hits.length = 0;
  created = await switchboard.addTarget('guarded', receiver.url, ['origins.*'], {
    headers: [
      { name: 'authorization', value: AUTHORIZATION, secret: true },
      { name: 'x-team', value: 'sales' },
    ],
    tls: makeCertificate({ name: 'client' }),
  });
});

afterEach(() => switchboard.removeTarget(created));

const patch = (json: object) => switchboard.ask(`/targets/${created.id}`, { method: 'PATCH', json });
const testTarget = (json: object) => switchboard.ask('/targets/test', { method: 'POST', json });
const rejection = ({ status, json }: { status: number; json: unknown }) => {
  const { code, remedy, errors = [] } = problem.parse(json);
  return { status, code, remedy, errors };
};
const tls = () => makeCertificate({ name: 'other client' });
const verifies = (secret: string, { body, headers }: Hit) => {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
};

describe('a target that is moved to another origin', () => {
  it.each([
    ['port', () => elsewhere.url],
    ['host', () => receiver.url.replace('127.0.0.1', '127.0.0.2')],
    ['scheme', () => receiver.url.replace('http:', 'https:')],
  ])(
    '(with another %s) is rejected, with the name of each secret that must be entered again',
    async (_, url) => {
      const before = await switchboard.read(target, `/targets/${created.id}`);
      const response = await patch({ url: url() });
      expect(rejection(response)).toEqual({
        status: 422,
        code: 'target_invalid',
        remedy: expect.stringContaining('Enter them again'),
        errors: [
          { path: 'headers', message: expect.stringContaining('authorization') },
          { path: 'tls.key', message: expect.stringContaining('private key') },
          { path: 'new_secret', message: expect.stringContaining('signing secret') },
        ],
      });
      expect(await switchboard.read(target, `/targets/${created.id}`)).toEqual(before);
    },
  );

  it('is rejected if a secret is named without its value', async () => {
    const { cert } = tls();
    const headers = [{ name: 'authorization', secret: true }];
    const { status, errors } = rejection(
      await patch({ url: elsewhere.url, headers, tls: { cert }, new_secret: true }),
    );
    expect(status).toBe(422);
    expect(errors.map(({ path }) => path)).toEqual(['headers.0.value', 'tls.key']);
    expect(errors[0]!.message).toContain('authorization');
  });

  it('receives the new secrets, signed only with a new signing secret, which the response shows once', async () => {
    await switchboard.ask(`/targets/${created.id}/secret/rotate`, { method: 'POST', json: {} });
    const headers = [{ name: 'authorization', value: 'Bearer new', secret: true }];
    const response = await patch({ url: elsewhere.url, headers, tls: null, new_secret: true });
    const moved = targetPatched.parse(response.json);
    expect(moved).toMatchObject({ url: elsewhere.url, previous_secret_until: null });
    await switchboard.emit('origins.moved');
    await until('the event arrives', () => elsewhere.hits.length > 0);
    const [hit] = elsewhere.hits as [Hit];
    expect(hit.headers.authorization).toBe('Bearer new');
    expect(hit.headers['x-team']).toBeUndefined();
    expect(String(hit.headers['webhook-signature']).split(' ')).toHaveLength(1);
    expect([verifies(created.secret, hit), verifies(moved.secret!, hit)]).toEqual([false, true]);
    await switchboard.restart();
    const id = await switchboard.emit('origins.moved');
    await until('the event arrives', () => elsewhere.of(id).length > 0);
    expect(verifies(moved.secret!, elsewhere.of(id)[0]!)).toBe(true);
    expect(targetPatched.parse((await patch({ name: 'guarded still' })).json).secret).toBeUndefined();
    const { data } = await switchboard.read(
      pageOf(auditEntry),
      `/audit?subject=${created.id}&action=target.change`,
    );
    expect(data.map(({ secret_shown: shown }) => shown)).toEqual([false, true]);
  });

  it('keeps its secrets if only the path of its URL changes', async () => {
    const url = new URL('/another?path=1', receiver.url).href;
    expect((await patch({ url })).status).toBe(200);
    const id = await switchboard.emit('origins.path');
    await until('the event arrives', () => receiver.of(id).length > 0);
    const [hit] = receiver.of(id) as [Hit];
    expect(hit.path).toBe('/another?path=1');
    expect(hit.headers.authorization).toBe(AUTHORIZATION);
    expect(verifies(created.secret, hit)).toBe(true);
  });
});

describe('a target that is changed to trust other certificates', () => {
  const authority = { name: 'An authority', ...makeCertificate({ name: 'An authority', authority: true }) };
  const other = makeCertificate({ name: 'Another authority', authority: true });
  const secret = { name: 'authorization', value: AUTHORIZATION, secret: true };
  let secure: RecordingTarget;
  let pinned: TargetCreated;
  beforeEach(async () => {
    secure = await RecordingTarget.start(200, makeCertificate({ name: 'target', issuer: authority }));
    pinned = await switchboard.addTarget('pinned', secure.url, ['pinned.*'], {
      headers: [secret],
      tls: { ca: authority.cert },
    });
  });
  afterEach(async () => {
    await switchboard.removeTarget(pinned);
    await secure.close();
  });
  const change = (json: object) => switchboard.ask(`/targets/${pinned.id}`, { method: 'PATCH', json });

  it.each([
    ['accepts any certificate', { verify: false }],
    ['trusts another authority', { ca: other.cert }],
    ['trusts public authorities', null],
  ])(
    'is rejected, when saved or tested, unless secret headers are entered again: one that %s',
    async (_, trust) => {
      const named = [{ name: 'authorization', secret: true }];
      expect(rejection(await change({ tls: trust }))).toMatchObject({
        status: 422,
        remedy: expect.stringContaining('certificate'),
        errors: [{ path: 'headers', message: expect.stringContaining('authorization') }],
      });
      const trial = { url: secure.url, target_id: pinned.id, headers: named, tls: trust };
      expect(rejection(await testTarget(trial))).toMatchObject({
        status: 422,
        errors: [{ path: 'headers.0.value' }],
      });
      expect(secure.hits).toEqual([]);
      expect((await change({ tls: trust, headers: [secret] })).status).toBe(200);
    },
  );

  it('needs no secrets again if it verifies certificates again or if other TLS settings change', async () => {
    await change({ tls: { ca: authority.cert, verify: false }, headers: [secret] });
    expect((await change({ tls: { ca: authority.cert } })).status).toBe(200);
    expect((await change({ tls: { ca: authority.cert, ...tls() } })).status).toBe(200);
    const id = await switchboard.emit('pinned.event');
    await until('the event arrives', () => secure.of(id).length > 0);
    expect(secure.of(id)[0]!.headers.authorization).toBe(AUTHORIZATION);
  });
});

describe('a test of another origin with the settings of a target', () => {
  it('sends none of its secrets', async () => {
    const { cert } = tls();
    const headers = [{ name: 'authorization', secret: true }];
    const given = { url: elsewhere.url, target_id: created.id };
    const { status, errors } = rejection(await testTarget({ ...given, headers, tls: { cert } }));
    expect([status, errors.map(({ path }) => path)]).toEqual([422, ['headers.0.value', 'tls.key']]);
    expect(elsewhere.hits).toEqual([]);
    expect((await testTarget(given)).status).toBe(200);
    expect(elsewhere.hits.map(({ headers: sent }) => sent.authorization)).toEqual([undefined]);
    expect(verifies(created.secret, elsewhere.hits[0]!)).toBe(false);
  });
});
