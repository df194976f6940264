import { Webhook } from 'standardwebhooks';
import { filterPreview } from '../../../src/contract/filter';
import { problem } from '../../../src/contract/problem';
import { target, targetCreated, targetPatched } from '../../../src/contract/target';
import { makeCertificate } from '../../support/fakes/certificates';
import { RecordingTarget, type Hit } from '../../support/fakes/recording-target';
import { signedNotification } from '../../support/signed-notification';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

let board: Switchboard;
let place: RecordingTarget;
const others: RecordingTarget[] = [];

beforeAll(async () => {
  place = await RecordingTarget.start();
  board = await Switchboard.start();
});

afterAll(async () => {
  await board.end();
  await Promise.all([place, ...others].map((one) => one.close()));
});

const patch = (id: string, json: object) =>
  board.read(targetPatched, `/targets/${id}`, { method: 'PATCH', json });

const refused = async (json: object, id?: string) => {
  const { status, json: answer } = await board.ask(id === undefined ? '/targets' : `/targets/${id}`, {
    method: id === undefined ? 'POST' : 'PATCH',
    json: id === undefined ? { name: 'refused', url: place.url, ...json } : json,
  });
  const { code, errors = [] } = problem.parse(answer);
  return { status, code, paths: errors.map(({ path }) => path) };
};

const arrived = async (id: string): Promise<Hit> => {
  await until('the request', () => place.of(id).length > 0);
  return place.of(id)[0]!;
};

const preview = (json: object) => board.read(filterPreview, '/targets/preview', { method: 'POST', json });

const targetsOf = async (id: string) => (await board.event(id)).deliveries.map((one) => one.target_id);

describe('a filter', () => {
  it('lets through what it describes and nothing else; what cannot be read passes none', async () => {
    // It would hold for what has no content at all.
    const wanted = { 'data.status_id': { $nin: [1, 4] } };
    const filtered = await board.addTarget('filtered', place.url, ['*'], { filter: wanted });
    expect(filtered.filter).toEqual(wanted);
    const open = await board.addTarget('open', place.url, ['*']);
    const yes = await board.emit('filtered.event', { status_id: 3 });
    const no = await board.emit('filtered.event', { status_id: 4 });
    const unreadable = (await board.notify(signedNotification('not-json'))).json as { id: string };
    expect((await targetsOf(yes)).sort()).toEqual([filtered.id, open.id].sort());
    expect(await targetsOf(no)).toEqual([open.id]);
    expect(await targetsOf(unreadable.id)).toEqual([open.id]);

    await patch(filtered.id, { filter: { 'data.status_id': 4 } });
    expect(await targetsOf(await board.emit('filtered.event', { status_id: 4 }))).toContain(filtered.id);
    expect((await patch(filtered.id, { filter: null })).filter).toBeNull();
    expect(await targetsOf(await board.emit('filtered.event'))).toContain(filtered.id);
    await board.removeTarget(filtered);
    await board.removeTarget(open);
  });

  it('that cannot be used is refused with its path, when it is made, changed or tried', async () => {
    const made = await board.addTarget('kept', place.url, ['never.*'], { filter: { a: 1 } });
    const wrong = { filter: { 'data.id': { $where: '1' }, 'a.__proto__': 1 } };
    const expected = {
      status: 422,
      code: 'filter_refused',
      paths: ['filter.data.id.$where', 'filter.a.__proto__'],
    };
    expect(await refused(wrong)).toEqual(expected);
    expect(await refused(wrong, made.id)).toEqual(expected);
    expect(await board.ask('/targets/preview', { method: 'POST', json: wrong })).toMatchObject({
      status: 422,
      json: { code: 'filter_refused' },
    });
    expect((await board.read(target, `/targets/${made.id}`)).filter).toEqual({ a: 1 });
    const poisoned = '{"name":"poisoned","url":"http://127.0.0.1:9/","filter":{"__proto__":{"a":1}}}';
    const answer = await board.ask('/targets', {
      method: 'POST',
      headers: [['content-type', 'application/json']],
      body: poisoned,
    });
    expect(answer.status).toBe(400);
    await board.removeTarget(made);
  });

  it('is tried on stored events beside the thread that takes notifications in', async () => {
    await board.emit('large.event', { list: Array.from({ length: 99_000 }, () => 0) });
    const filter = { $or: Array.from({ length: 50 }, (_, i) => ({ 'data.list': { $gt: i } })) };
    const asked = { events: ['large.*'], filter, last: 1 };
    expect(await preview(asked)).toMatchObject({ looked_at: 1, matched: 0 });
    let turns = 0;
    let looking = true;
    const turn = () => {
      turns += 1;
      if (looking) setImmediate(turn);
    };
    turn();
    await preview(asked);
    looking = false;
    expect(turns).toBeGreaterThan(100);
  });

  it('is tried on what is stored before anything is saved', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 30; i += 1) ids.push(await board.emit('previewed.event', { n: i }));
    await board.emit('other.event', { n: 29 });
    const found = await preview({ events: ['previewed.*'], filter: { 'data.n': { $gte: 5 } }, last: 31 });
    expect(found).toMatchObject({ looked_at: 31, matched: 25 });
    expect(found.data.map(({ id }) => id)).toEqual(ids.slice(10).toReversed());
    expect(await preview({ events: ['previewed.*'], last: 11 })).toMatchObject({
      looked_at: 11,
      matched: 10,
    });
    expect(await preview({ filter: { 'data.n': 29 }, last: 5 })).toMatchObject({ matched: 2 });
    const all = await preview({ events: ['*', 'relay.*'] });
    expect(all.matched).toBe(all.looked_at);
    expect(all.looked_at).toBeGreaterThan(31);
  });
});

describe('the headers that an operator adds', () => {
  it('reach the target; secret ones are shown to nobody, and stay where they are not named anew', async () => {
    const headers = [
      { name: 'X-Plain', value: 'for everybody' },
      { name: 'Authorization', value: 'Bearer of-the-operator', secret: true },
    ];
    const made = await board.addTarget('headers', place.url, ['headers.*'], { headers });
    const shown = [
      { name: 'x-plain', value: 'for everybody', secret: false },
      { name: 'authorization', value: null, secret: true },
    ];
    expect(made.headers).toEqual(shown);
    const { headers: first } = await arrived(await board.emit('headers.sent'));
    expect(first).toMatchObject({ 'x-plain': 'for everybody', authorization: 'Bearer of-the-operator' });

    const kept = [{ name: 'authorization', secret: true }];
    expect((await patch(made.id, { headers: kept })).headers).toEqual([shown[1]]);
    const { headers: second } = await arrived(await board.emit('headers.sent'));
    expect(second['x-plain']).toBeUndefined();
    expect(second.authorization).toBe('Bearer of-the-operator');

    expect(await refused({ headers: [{ name: 'authorization' }] }, made.id)).toMatchObject({ status: 422 });
    for (const path of [`/targets/${made.id}`, '/targets', '/events'])
      expect((await board.ask(path)).text).not.toContain('of-the-operator');
    expect(board.logged).not.toContain('of-the-operator');
    expect((await patch(made.id, { headers: [] })).warnings).toEqual([]);
    await board.removeTarget(made);
  });

  it.each(['Host', 'Content-Length', 'Connection', 'Transfer-Encoding', 'webhook-id', 'switchboard-x'])(
    'are not %s, which is not theirs to set',
    async (name) => {
      expect(await refused({ headers: [{ name, value: 'x' }] })).toEqual({
        status: 422,
        code: 'target_refused',
        paths: ['headers.0.name'],
      });
    },
  );

  it('are refused where they are no headers, or stand twice', async () => {
    for (const value of ['a\r\nb: c', ' a', 'a ', '\u00e9', ''])
      expect(await refused({ headers: [{ name: 'x-a', value }] })).toMatchObject({ status: 400 });
    const twice = [
      { name: 'x-a', value: '1' },
      { name: 'X-A', value: '2' },
    ];
    expect(await refused({ headers: twice })).toMatchObject({ status: 422, paths: ['headers.1.name'] });
  });
});

describe('certificates', () => {
  const own = makeCertificate({ name: 'client' });
  const other = makeCertificate({ name: 'other' });

  it('are kept, the key unseen, and a frank word is said where nothing is verified', async () => {
    const made = await board.addTarget('tls', 'https://127.0.0.1:9/', ['never.*'], {
      tls: { ...own, verify: false },
    });
    expect(made.tls).toEqual({ ca: null, cert: own.cert, has_key: true, verify: false });
    expect(made.warnings).toEqual([expect.stringContaining('not verified')]);
    const kept = await patch(made.id, { tls: { cert: own.cert } });
    expect(kept).toMatchObject({ tls: { has_key: true, verify: true }, warnings: [] });
    expect((await board.ask(`/targets/${made.id}`)).text).not.toContain('PRIVATE KEY');
    expect(board.logged).not.toContain('PRIVATE KEY');
    expect((await patch(made.id, { tls: null })).tls).toBeNull();
    await board.removeTarget(made);
  });

  it.each<[string, object, string]>([
    ['no certificate', { ca: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' }, 'tls.ca'],
    ['a certificate without its key', { cert: own.cert }, 'tls.key'],
    ['a key without its certificate', { key: own.key }, 'tls.cert'],
    ['the key of another', { cert: own.cert, key: other.key }, 'tls.key'],
    ['a key that is none', { cert: own.cert, key: own.cert }, 'tls.key'],
  ])('are refused for %s', async (_, tls, path) => {
    expect(await refused({ tls })).toEqual({ status: 422, code: 'target_refused', paths: [path] });
  });
});

describe('the policy', () => {
  it('has defaults, changes by what is named, and is as it was after a restart', async () => {
    const made = await board.addTarget('policy', place.url, ['policy.*'], {
      policy: { concurrency: 1, success: [200, 404] },
      headers: [{ name: 'x-kept', value: 'kept', secret: true }],
    });
    expect(made.policy).toMatchObject({ concurrency: 1, success: [200, 404], timeout_ms: 10_000 });
    const meeting = [{ timeout_ms: 2_000 }, { breaker: null }, { ordering: 'entity' }];
    await Promise.all(meeting.map((policy) => patch(made.id, { policy })));
    const expected = { ...made.policy, timeout_ms: 2_000, breaker: null, ordering: 'entity' };
    expect((await board.read(target, `/targets/${made.id}`)).policy).toEqual(expected);
    board = await restarted(board);
    expect(await board.read(target, `/targets/${made.id}`)).toMatchObject({
      policy: expected,
      headers: [{ name: 'x-kept', value: null }],
    });
    expect((await arrived(await board.emit('policy.kept'))).headers['x-kept']).toBe('kept');
    await board.removeTarget(made);
  });

  it('says which answers are success, and how many requests are under way at once', async () => {
    const slow = await RecordingTarget.start((response) =>
      setTimeout(() => void response.writeHead(404).end(), 30),
    );
    others.push(slow);
    const made = await board.addTarget('one at a time', slow.url, ['slow.*'], {
      policy: { concurrency: 1, success: [404] },
    });
    const ids = [
      await board.emit('slow.event'),
      await board.emit('slow.event'),
      await board.emit('slow.event'),
    ];
    for (const id of ids) await board.deliveryOnce(id, made.id, ({ state }) => state === 'succeeded');
    expect(slow.hits).toHaveLength(3);
    expect(slow.peak).toBe(1);
    await board.removeTarget(made);
  });

  it('and the address take effect at once, and let end what is under way', async () => {
    const held: (() => void)[] = [];
    const before = await RecordingTarget.start(
      (response) => void held.push(() => void response.writeHead(204).end()),
    );
    others.push(before);
    const made = await board.addTarget('moved', before.url, ['moved.*']);
    const first = await board.emit('moved.event');
    await until('the request', () => held.length === 1);
    await patch(made.id, { url: place.url, policy: { timeout_ms: 5_000 }, new_secret: true });
    const second = await board.emit('moved.event');
    expect((await arrived(second)).path).toBe('/events?from=switchboard');
    held[0]!();
    const { attempts } = await board.deliveryOnce(first, made.id, ({ state }) => state === 'succeeded');
    expect(attempts).toHaveLength(1);
    expect([before.hits.length, place.of(first).length]).toEqual([1, 0]);
    await board.removeTarget(made);
  });

  it.each<[object, string]>([
    [{ timeout_ms: 10 }, 'policy.timeout_ms'],
    [{ concurrency: 65 }, 'policy.concurrency'],
    [{ success: [] }, 'policy.success'],
    [{ ordering: 'random' }, 'policy.ordering'],
    [{ rate: { limit: 0, per: 'second' } }, 'policy.rate.limit'],
    [{ jitter: 2 }, 'policy.jitter'],
    [{ unknown: 1 }, 'policy'],
  ])('is refused with %j', async (policy, path) => {
    expect(await refused({ policy })).toEqual({ status: 400, code: 'invalid_request', paths: [path] });
  });
});

it('says of strict order how little it lets through', async () => {
  const strict = { policy: { ordering: 'strict' } };
  const made = await board.addTarget('in order', place.url, ['ordered.*'], strict);
  expect(made.warnings).toEqual([expect.stringContaining('some hundred events a second')]);
  expect((await patch(made.id, { policy: { ordering: 'entity' } })).warnings).toEqual([]);
});

describe('a target that is not enabled', () => {
  it('says that events pass it by, and they do', async () => {
    const made = await board.addTarget('passed by', place.url, ['passed.*'], { enabled: false });
    expect(made.warnings).toEqual([expect.stringContaining('pass it by')]);
    expect(await board.event(await board.emit('passed.event'))).toMatchObject({ status: 'unmatched' });
    expect((await patch(made.id, { enabled: true })).warnings).toEqual([]);
    await board.removeTarget(made);
  });
});

const verifies = (secret: string, { headers, body }: Hit) => {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  const signed = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
  try {
    new Webhook(secret).verify(body, signed);
    return true;
  } catch {
    return false;
  }
};
const rotate = (id: string, json?: object) =>
  board.read(targetCreated, `/targets/${id}/secret/rotate`, { method: 'POST', ...(json && { json }) });

describe('a rotation of the secret', () => {
  it('has both secrets sign while it overlaps, also after a restart, and the new one alone after that', async () => {
    const made = await board.addTarget('rotated', place.url, ['rotated.*']);
    const { secret, signs_twice_until: until_ } = await rotate(made.id, { overlap_seconds: 3_600 });
    expect(secret).not.toBe(made.secret);
    expect(Date.parse(until_!) - board.clock.now()).toBeGreaterThan(3_500_000);
    board = await restarted(board);
    const during = await arrived(await board.emit('rotated.event'));
    expect([verifies(made.secret, during), verifies(secret, during)]).toEqual([true, true]);
    board.clock.move(3_600_000);
    const after = await arrived(await board.emit('rotated.event'));
    // The library refuses a timestamp far from its own time: the signatures alone are compared.
    expect(String(during.headers['webhook-signature']).split(' ')).toHaveLength(2);
    expect(String(after.headers['webhook-signature']).split(' ')).toHaveLength(1);
    expect(await board.read(target, `/targets/${made.id}`)).toMatchObject({ signs_twice_until: null });
    await board.removeTarget(made);
  });

  it('without an overlap ends the secret before at once; the new one is shown once', async () => {
    const fresh = await Switchboard.start();
    try {
      const made = await fresh.addTarget('rotated', place.url, ['rotated.*']);
      const path = `/targets/${made.id}/secret/rotate`;
      const rotated = await fresh.read(targetCreated, path, { method: 'POST', json: { overlap_seconds: 0 } });
      const hit = await arrived(await fresh.emit('rotated.event'));
      expect([verifies(made.secret, hit), verifies(rotated.secret, hit)]).toEqual([false, true]);
      expect((await fresh.ask(`/targets/${made.id}`)).text).not.toContain(rotated.secret);
      expect(fresh.logged).not.toContain(rotated.secret);
      const usual = await fresh.read(targetCreated, path, { method: 'POST' });
      expect(Date.parse(usual.signs_twice_until!)).toBeGreaterThan(Date.now() + 86_000_000);
    } finally {
      await fresh.end();
    }
  });
});

async function restarted(before: Switchboard): Promise<Switchboard> {
  await before.stop();
  return Switchboard.start({ after: before });
}
