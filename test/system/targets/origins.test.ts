import { Webhook } from 'standardwebhooks';
import { auditEntry } from '../../../src/contract/audit';
import { pageOf } from '../../../src/contract/page';
import { problem } from '../../../src/contract/problem';
import { target, targetPatched, type TargetCreated } from '../../../src/contract/target';
import { makeCertificate } from '../../support/fakes/certificates';
import { RecordingTarget, type Hit } from '../../support/fakes/recording-target';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const KEPT = 'Bearer kept-for-its-origin';

let board: Switchboard;
let place: RecordingTarget;
let elsewhere: RecordingTarget;
let made: TargetCreated;

beforeAll(async () => {
  place = await RecordingTarget.start();
  elsewhere = await RecordingTarget.start();
  board = await Switchboard.start();
});

afterAll(async () => {
  await board.end();
  await Promise.all([place, elsewhere].map((one) => one.close()));
});

beforeEach(async () => {
  elsewhere.hits.length = 0;
  made = await board.addTarget('guarded', place.url, ['origins.*'], {
    headers: [
      { name: 'authorization', value: KEPT, secret: true },
      { name: 'x-team', value: 'sales' },
    ],
    tls: makeCertificate({ name: 'client' }),
  });
});

afterEach(() => board.removeTarget(made));

const patch = (json: object) => board.ask(`/targets/${made.id}`, { method: 'PATCH', json });
const attempt = (json: object) => board.ask('/targets/test', { method: 'POST', json });
const refusal = ({ status, json }: { status: number; json: unknown }) => {
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
    ['host', () => place.url.replace('127.0.0.1', '127.0.0.2')],
    ['scheme', () => place.url.replace('http:', 'https:')],
  ])('(its %s differs) is refused, naming each secret that has to be given again', async (_, url) => {
    const before = await board.read(target, `/targets/${made.id}`);
    const answer = await patch({ url: url() });
    expect(refusal(answer)).toEqual({
      status: 422,
      code: 'target_refused',
      remedy: expect.stringContaining('Give them again'),
      errors: [
        { path: 'headers', message: expect.stringContaining('authorization') },
        { path: 'tls.key', message: expect.stringContaining('private key') },
        { path: 'new_secret', message: expect.stringContaining('signing secret') },
      ],
    });
    expect(await board.read(target, `/targets/${made.id}`)).toEqual(before);
  });

  it('carries over no secret that is only named', async () => {
    const { cert } = tls();
    const headers = [{ name: 'authorization', secret: true }];
    const { status, errors } = refusal(
      await patch({ url: elsewhere.url, headers, tls: { cert }, new_secret: true }),
    );
    expect(status).toBe(422);
    expect(errors.map(({ path }) => path)).toEqual(['headers.0.value', 'tls.key']);
    expect(errors[0]!.message).toContain('authorization');
  });

  it('is sent what was given anew, signed with a new secret alone, which the answer shows once', async () => {
    await board.ask(`/targets/${made.id}/secret/rotate`, { method: 'POST', json: {} });
    const headers = [{ name: 'authorization', value: 'Bearer new', secret: true }];
    const answer = await patch({ url: elsewhere.url, headers, tls: null, new_secret: true });
    const moved = targetPatched.parse(answer.json);
    expect(moved).toMatchObject({ url: elsewhere.url, signs_twice_until: null });
    await board.emit('origins.moved');
    await until('the event arrives', () => elsewhere.hits.length > 0);
    const [hit] = elsewhere.hits as [Hit];
    expect(hit.headers.authorization).toBe('Bearer new');
    expect(hit.headers['x-team']).toBeUndefined();
    expect(String(hit.headers['webhook-signature']).split(' ')).toHaveLength(1);
    expect([verifies(made.secret, hit), verifies(moved.secret!, hit)]).toEqual([false, true]);
    await board.stop();
    board = await Switchboard.start({ after: board });
    const id = await board.emit('origins.moved');
    await until('the event arrives', () => elsewhere.of(id).length > 0);
    expect(verifies(moved.secret!, elsewhere.of(id)[0]!)).toBe(true);
    expect(targetPatched.parse((await patch({ name: 'guarded still' })).json).secret).toBeUndefined();
    const { data } = await board.read(pageOf(auditEntry), `/audit?subject=${made.id}&action=target.change`);
    expect(data.map(({ secret_shown: shown }) => shown)).toEqual([false, true]);
  });

  it('keeps everything where only its path changes', async () => {
    const url = new URL('/another?path=1', place.url).href;
    expect((await patch({ url })).status).toBe(200);
    const id = await board.emit('origins.path');
    await until('the event arrives', () => place.of(id).length > 0);
    const [hit] = place.of(id) as [Hit];
    expect(hit.path).toBe('/another?path=1');
    expect(hit.headers.authorization).toBe(KEPT);
    expect(verifies(made.secret, hit)).toBe(true);
  });
});

describe('a target whose server is recognised by other certificates', () => {
  const authority = { name: 'An authority', ...makeCertificate({ name: 'An authority', authority: true }) };
  const other = makeCertificate({ name: 'Another authority', authority: true });
  const secret = { name: 'authorization', value: KEPT, secret: true };
  let secure: RecordingTarget;
  let pinned: TargetCreated;
  beforeEach(async () => {
    secure = await RecordingTarget.start(200, makeCertificate({ name: 'target', issuer: authority }));
    pinned = await board.addTarget('pinned', secure.url, ['pinned.*'], {
      headers: [secret],
      tls: { ca: authority.cert },
    });
  });
  afterEach(async () => {
    await board.removeTarget(pinned);
    await secure.close();
  });
  const change = (json: object) => board.ask(`/targets/${pinned.id}`, { method: 'PATCH', json });

  it.each([
    ['of any authority', { verify: false }],
    ['of another authority', { ca: other.cert }],
    ['of public authorities', null],
  ])('%s is refused where a secret header is not given again, saved or tried', async (_, trust) => {
    const named = [{ name: 'authorization', secret: true }];
    expect(refusal(await change({ tls: trust }))).toMatchObject({
      status: 422,
      remedy: expect.stringContaining('certificate'),
      errors: [{ path: 'headers', message: expect.stringContaining('authorization') }],
    });
    const tried = { url: secure.url, target_id: pinned.id, headers: named, tls: trust };
    expect(refusal(await attempt(tried))).toMatchObject({
      status: 422,
      errors: [{ path: 'headers.0.value' }],
    });
    expect(secure.hits).toEqual([]);
    expect((await change({ tls: trust, headers: [secret] })).status).toBe(200);
  });

  it('may be verified again, or otherwise be changed, without', async () => {
    await change({ tls: { ca: authority.cert, verify: false }, headers: [secret] });
    expect((await change({ tls: { ca: authority.cert } })).status).toBe(200);
    expect((await change({ tls: { ca: authority.cert, ...tls() } })).status).toBe(200);
    const id = await board.emit('pinned.event');
    await until('the event arrives', () => secure.of(id).length > 0);
    expect(secure.of(id)[0]!.headers.authorization).toBe(KEPT);
  });
});

describe('a test of another origin with the settings of a target', () => {
  it('is sent none of its secrets', async () => {
    const { cert } = tls();
    const headers = [{ name: 'authorization', secret: true }];
    const given = { url: elsewhere.url, target_id: made.id };
    const { status, errors } = refusal(await attempt({ ...given, headers, tls: { cert } }));
    expect([status, errors.map(({ path }) => path)]).toEqual([422, ['headers.0.value', 'tls.key']]);
    expect(elsewhere.hits).toEqual([]);
    expect((await attempt(given)).status).toBe(200);
    expect(elsewhere.hits.map(({ headers: sent }) => sent.authorization)).toEqual([undefined]);
    expect(verifies(made.secret, elsewhere.hits[0]!)).toBe(false);
  });
});
