import { Webhook } from 'standardwebhooks';
import { target, targetCreated } from '../../../src/contract/target';
import { makeCertificate } from '../../support/fakes/certificates';
import type { Hit } from '../../support/fakes/recording-target';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';
import { arrived, patch, receiver, rejected, startAgain, startReceiver, switchboard, useHub } from './hub';

useHub();

describe('custom headers', () => {
  it('are sent; secret ones are never shown, and keep their value unless a new one is given', async () => {
    const headers = [
      { name: 'X-Plain', value: 'for everybody' },
      { name: 'Authorization', value: 'Bearer of-the-operator', secret: true },
    ];
    const created = await switchboard.addTarget('headers', receiver.url, ['headers.*'], { headers });
    const shown = [
      { name: 'x-plain', value: 'for everybody', secret: false },
      { name: 'authorization', value: null, secret: true },
    ];
    expect(created.headers).toEqual(shown);
    const { headers: first } = await arrived(await switchboard.emit('headers.sent'));
    expect(first).toMatchObject({ 'x-plain': 'for everybody', authorization: 'Bearer of-the-operator' });

    const kept = [{ name: 'authorization', secret: true }];
    expect((await patch(created.id, { headers: kept })).headers).toEqual([shown[1]]);
    const { headers: second } = await arrived(await switchboard.emit('headers.sent'));
    expect(second['x-plain']).toBeUndefined();
    expect(second.authorization).toBe('Bearer of-the-operator');

    expect(await rejected({ headers: [{ name: 'authorization' }] }, created.id)).toMatchObject({
      status: 422,
    });
    for (const path of [`/targets/${created.id}`, '/targets', '/events'])
      expect((await switchboard.ask(path)).text).not.toContain('of-the-operator');
    expect(switchboard.logged).not.toContain('of-the-operator');
    expect((await patch(created.id, { headers: [] })).warnings).toEqual([]);
    await switchboard.removeTarget(created);
  });

  it.each(['Host', 'Content-Length', 'Connection', 'Transfer-Encoding', 'webhook-id', 'switchboard-x'])(
    'may not include %s',
    async (name) => {
      expect(await rejected({ headers: [{ name, value: 'x' }] })).toEqual({
        status: 422,
        code: 'target_invalid',
        paths: ['headers.0.name'],
      });
    },
  );

  it('are rejected if invalid or duplicate', async () => {
    for (const value of ['a\r\nb: c', ' a', 'a ', '\u00e9', ''])
      expect(await rejected({ headers: [{ name: 'x-a', value }] })).toMatchObject({ status: 400 });
    const twice = [
      { name: 'x-a', value: '1' },
      { name: 'X-A', value: '2' },
    ];
    expect(await rejected({ headers: twice })).toMatchObject({ status: 422, paths: ['headers.1.name'] });
  });
});

describe('certificates', () => {
  const own = makeCertificate({ name: 'client' });
  const other = makeCertificate({ name: 'other' });

  it('are stored without showing the key, and a warning says when nothing is verified', async () => {
    const created = await switchboard.addTarget('tls', 'https://127.0.0.1:9/', ['never.*'], {
      tls: { ...own, verify: false },
    });
    expect(created.tls).toEqual({ ca: null, cert: own.cert, has_key: true, verify: false });
    expect(created.warnings).toEqual([expect.stringContaining('not verified')]);
    const kept = await patch(created.id, { tls: { cert: own.cert } });
    expect(kept).toMatchObject({ tls: { has_key: true, verify: true }, warnings: [] });
    expect((await switchboard.ask(`/targets/${created.id}`)).text).not.toContain('PRIVATE KEY');
    expect(switchboard.logged).not.toContain('PRIVATE KEY');
    expect((await patch(created.id, { tls: null })).tls).toBeNull();
    await switchboard.removeTarget(created);
  });

  it.each<[string, object, string]>([
    [
      'an invalid certificate',
      { ca: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' },
      'tls.ca',
    ],
    ['a certificate without its key', { cert: own.cert }, 'tls.key'],
    ['a key without its certificate', { key: own.key }, 'tls.cert'],
    ['the key of another certificate', { cert: own.cert, key: other.key }, 'tls.key'],
    ['an invalid key', { cert: own.cert, key: own.cert }, 'tls.key'],
  ])('are rejected for %s', async (_, tls, path) => {
    expect(await rejected({ tls })).toEqual({ status: 422, code: 'target_invalid', paths: [path] });
  });
});

describe('the policy', () => {
  it('has defaults, is changed field by field, and survives a restart', async () => {
    const created = await switchboard.addTarget('policy', receiver.url, ['policy.*'], {
      policy: { concurrency: 1, success: [200, 404] },
      headers: [{ name: 'x-kept', value: 'kept', secret: true }],
    });
    expect(created.policy).toMatchObject({ concurrency: 1, success: [200, 404], timeout_ms: 10_000 });
    const concurrentPolicies = [{ timeout_ms: 2_000 }, { breaker: null }, { ordering: 'entity' }];
    await Promise.all(concurrentPolicies.map((policy) => patch(created.id, { policy })));
    const expected = { ...created.policy, timeout_ms: 2_000, breaker: null, ordering: 'entity' };
    expect((await switchboard.read(target, `/targets/${created.id}`)).policy).toEqual(expected);
    await switchboard.stop();
    await startAgain();
    expect(await switchboard.read(target, `/targets/${created.id}`)).toMatchObject({
      policy: expected,
      headers: [{ name: 'x-kept', value: null }],
    });
    expect((await arrived(await switchboard.emit('policy.kept'))).headers['x-kept']).toBe('kept');
    await switchboard.removeTarget(created);
  });

  it('determines which responses are successes, and how many requests are concurrent', async () => {
    const slow = await startReceiver((response) => setTimeout(() => void response.writeHead(404).end(), 30));
    const created = await switchboard.addTarget('one at a time', slow.url, ['slow.*'], {
      policy: { concurrency: 1, success: [404] },
    });
    const ids = [
      await switchboard.emit('slow.event'),
      await switchboard.emit('slow.event'),
      await switchboard.emit('slow.event'),
    ];
    for (const id of ids)
      await switchboard.deliveryOnce(id, created.id, ({ state }) => state === 'succeeded');
    expect(slow.hits).toHaveLength(3);
    expect(slow.peak).toBe(1);
    await switchboard.removeTarget(created);
  });

  it('takes effect at once, like a new URL, while requests in flight finish', async () => {
    const held: (() => void)[] = [];
    const before = await startReceiver(
      (response) => void held.push(() => void response.writeHead(204).end()),
    );
    const created = await switchboard.addTarget('moved', before.url, ['moved.*']);
    const first = await switchboard.emit('moved.event');
    await until('the request is in flight', () => held.length === 1);
    await patch(created.id, { url: receiver.url, policy: { timeout_ms: 5_000 }, new_secret: true });
    const second = await switchboard.emit('moved.event');
    expect((await arrived(second)).path).toBe('/events?from=switchboard');
    held[0]!();
    const { attempts } = await switchboard.deliveryOnce(
      first,
      created.id,
      ({ state }) => state === 'succeeded',
    );
    expect(attempts).toHaveLength(1);
    expect([before.hits.length, receiver.of(first).length]).toEqual([1, 0]);
    await switchboard.removeTarget(created);
  });

  it.each<[object, string]>([
    [{ timeout_ms: 10 }, 'policy.timeout_ms'],
    [{ concurrency: 65 }, 'policy.concurrency'],
    [{ success: [] }, 'policy.success'],
    [{ ordering: 'random' }, 'policy.ordering'],
    [{ rate: { limit: 0, per: 'second' } }, 'policy.rate.limit'],
    [{ jitter: 2 }, 'policy.jitter'],
    [{ unknown: 1 }, 'policy'],
  ])('is rejected with %j', async (policy, path) => {
    expect(await rejected({ policy })).toEqual({ status: 400, code: 'invalid_request', paths: [path] });
  });
});

it('a warning says how slow strict ordering is', async () => {
  const strict = { policy: { ordering: 'strict' } };
  const created = await switchboard.addTarget('in order', receiver.url, ['ordered.*'], strict);
  expect(created.warnings).toEqual([expect.stringContaining('few hundred events per second')]);
  expect((await patch(created.id, { policy: { ordering: 'entity' } })).warnings).toEqual([]);
});

describe('a target that is not enabled', () => {
  it('has a warning that it receives no new events, and receives none', async () => {
    const created = await switchboard.addTarget('disabled', receiver.url, ['passed.*'], { enabled: false });
    expect(created.warnings).toEqual([
      expect.stringContaining('Events that arrive while it is disabled are never sent'),
    ]);
    expect(await switchboard.event(await switchboard.emit('passed.event'))).toMatchObject({
      status: 'unmatched',
    });
    expect((await patch(created.id, { enabled: true })).warnings).toEqual([]);
    await switchboard.removeTarget(created);
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
  switchboard.read(targetCreated, `/targets/${id}/secret/rotate`, { method: 'POST', ...(json && { json }) });

describe('a secret rotation', () => {
  it('signs with both secrets during the overlap, even after a restart, and then only with the new one', async () => {
    const created = await switchboard.addTarget('rotated', receiver.url, ['rotated.*']);
    const { secret, previous_secret_until: until_ } = await rotate(created.id, { overlap_seconds: 3_600 });
    expect(secret).not.toBe(created.secret);
    expect(Date.parse(until_!) - switchboard.clock.now()).toBeGreaterThan(3_500_000);
    await switchboard.stop();
    await startAgain();
    const during = await arrived(await switchboard.emit('rotated.event'));
    expect([verifies(created.secret, during), verifies(secret, during)]).toEqual([true, true]);
    switchboard.clock.move(3_600_000);
    const after = await arrived(await switchboard.emit('rotated.event'));
    // The library rejects timestamps far from the real time, so only the number of signatures is checked.
    expect(String(during.headers['webhook-signature']).split(' ')).toHaveLength(2);
    expect(String(after.headers['webhook-signature']).split(' ')).toHaveLength(1);
    expect(await switchboard.read(target, `/targets/${created.id}`)).toMatchObject({
      previous_secret_until: null,
    });
    await switchboard.removeTarget(created);
  });

  it('without an overlap replaces the secret at once; the new one is shown once', async () => {
    const fresh = await Switchboard.start();
    try {
      const created = await fresh.addTarget('rotated', receiver.url, ['rotated.*']);
      const path = `/targets/${created.id}/secret/rotate`;
      const rotated = await fresh.read(targetCreated, path, { method: 'POST', json: { overlap_seconds: 0 } });
      const hit = await arrived(await fresh.emit('rotated.event'));
      expect([verifies(created.secret, hit), verifies(rotated.secret, hit)]).toEqual([false, true]);
      expect((await fresh.ask(`/targets/${created.id}`)).text).not.toContain(rotated.secret);
      expect(fresh.logged).not.toContain(rotated.secret);
      const usual = await fresh.read(targetCreated, path, { method: 'POST' });
      expect(Date.parse(usual.previous_secret_until!)).toBeGreaterThan(Date.now() + 86_000_000);
    } finally {
      await fresh.end();
    }
  });
});
