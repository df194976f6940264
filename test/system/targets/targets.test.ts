import { createHmac } from 'node:crypto';
import { target, type Target } from '../../../src/contract/target';
import { pageOf } from '../../../src/contract/page';
import { problem } from '../../../src/contract/problem';
import { until } from '../../support/until';
import { receiver, rejectedAddress, save, switchboard, useHub } from './hub';

useHub();

describe('a denied address', () => {
  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://169.254.169.254./',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://0xa9.0xfe.0xa9.0xfe/',
    'http://0251.0376.0251.0376/',
    'http://169.254.43518/',
    'http://[::ffff:169.254.169.254]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[64:ff9b::169.254.169.254]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://\uff11\uff16\uff19.254.169.254/',
    'https://169.254.1.2/',
    'http://[fe80::1]/',
    'http://[FEBF::1]/',
    'http://224.0.0.1/',
    'http://239.255.255.250/',
    'http://[ff02::1]/',
    'http://0.0.0.0/',
    'http://0/',
    'http://0.1.2.3/',
    'http://[::]/',
    'http://[::ffff:0.0.0.0]/',
    'http://100.100.100.200/',
    'http://168.63.129.16/',
    'http://[fd00:ec2::254]/',
  ])('is rejected when saved, in any spelling: %s', async (url) => {
    expect(await rejectedAddress(url)).toEqual({ url, status: 422, code: 'address_denied' });
  });

  it('is also rejected when a target is changed, which then stays unchanged', async () => {
    const created = await switchboard.addTarget('to be changed', receiver.url, ['never.*']);
    const response = await switchboard.ask(`/targets/${created.id}`, {
      method: 'PATCH',
      json: { url: 'http://169.254.169.254/', new_secret: true },
    });
    expect(response).toMatchObject({ status: 422, json: { code: 'address_denied' } });
    expect((await switchboard.read(target, `/targets/${created.id}`)).url).toBe(receiver.url);
    await switchboard.removeTarget(created);
  });

  it.each(['http://10.0.0.1/', 'http://192.168.1.20:3000/', 'http://[fd12::1]/', 'https://hooks.example/'])(
    'does not include private networks, which a self-hosted hub needs: %s',
    async (url) => {
      const response = await save(url);
      expect(response.status).toBe(201);
      await switchboard.removeTarget(response.json as Target);
    },
  );

  it.each(['ftp://127.0.0.1/', 'file:///etc/passwd', 'not an address', '//127.0.0.1/', ''])(
    'is reported as invalid if it is not an http or https URL: %j',
    async (url) => {
      expect(await rejectedAddress(url)).toEqual({ url, status: 400, code: 'invalid_request' });
    },
  );
});

describe("the daemon's own webhook URL", () => {
  it.each([
    (port: number, path: string) => `http://localhost:${port}${path}`,
    (port: number, path: string) => `http://127.0.0.1:${port}${path}`,
    (port: number, path: string) => `http://127.1:${port}${path}?a=b`,
    (port: number, path: string) => `http://[::1]:${port}${path}`,
    (port: number, path: string) => `http://[::ffff:127.0.0.1]:${port}${path}`,
    (port: number, path: string) => `http://LOCALHOST:${port}${path.replace('hooks', '%68ooks')}`,
    (port: number) => `http://localhost:${port}/hooks/`,
  ])('is rejected as a target, in any spelling (%#)', async (spell) => {
    const url = spell(switchboard.port, switchboard.hookPath);
    expect(await rejectedAddress(url)).toEqual({ url, status: 422, code: 'own_intake' });
  });

  it('is not the only one: no path of the daemon can be a target', async () => {
    const url = `http://127.0.0.1:${switchboard.port}/healthz`;
    expect(await rejectedAddress(url)).toEqual({ url, status: 422, code: 'own_intake' });
  });
});

describe('the list of targets', () => {
  it('is paged, each target once, in order of creation', async () => {
    const names = Array.from({ length: 7 }, (_, i) => `listed ${i}`);
    for (const name of names) await switchboard.addTarget(name, receiver.url, ['never.*']);
    const walked: Target[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page = await switchboard.read(pageOf(target), `/targets?limit=3${query}`);
      walked.push(...page.data);
      cursor = page.next_cursor;
      // The target of the cursor is removed.
      if (walked.length === 3) await switchboard.removeTarget(walked[2]!);
    }
    expect(walked.map(({ name }) => name)).toEqual(names);
    await Promise.all(walked.filter((_, i) => i !== 2).map((one) => switchboard.removeTarget(one)));
    const unknown = await switchboard.ask('/targets?cursor=nonsense');
    expect(unknown).toMatchObject({ status: 400, json: { code: 'cursor_unknown' } });
  });

  it('has fewer targets on a page if they are large', async () => {
    const headers = Array.from({ length: 20 }, (_, i) => ({ name: `x-${i}`, value: 'v'.repeat(4_000) }));
    const names = Array.from({ length: 10 }, (_, i) => `large ${i}`);
    for (const name of names) await switchboard.addTarget(name, receiver.url, ['never.*'], { headers });
    const first = await switchboard.read(pageOf(target), '/targets?limit=200');
    const second = await switchboard.read(pageOf(target), `/targets?limit=200&cursor=${first.next_cursor}`);
    expect(JSON.stringify(first).length).toBeLessThan(1024 * 1024);
    expect([...first.data, ...second.data].map(({ name }) => name)).toEqual(names);
    for (const one of [...first.data, ...second.data]) await switchboard.removeTarget(one);
  });

  it('has two hundred targets at most, even with concurrent requests', async () => {
    const responses = await Promise.all(Array.from({ length: 203 }, () => save(receiver.url)));
    const created = responses.filter(({ status }) => status === 201).map(({ json }) => json as Target);
    expect(created).toHaveLength(200);
    expect(problem.parse(responses.find(({ status }) => status !== 201)!.json)).toMatchObject({
      status: 409,
      code: 'too_many_targets',
      remedy: expect.stringContaining('Remove a target'),
    });
    await switchboard.removeTarget(created.pop()!);
    created.push((await save(receiver.url, 'in its place')).json as Target);
    for (const one of created) await switchboard.removeTarget(one);
  });

  it('contains no two targets with the same name', async () => {
    const twice = await Promise.all([save(receiver.url, 'twice'), save(receiver.url, 'twice')]);
    expect(twice.map(({ status }) => status)).toEqual(expect.arrayContaining([201, 409]));
    const created = twice.find(({ status }) => status === 201)!.json as Target;
    expect(await save(receiver.url, 'twice')).toMatchObject({
      status: 409,
      json: { code: 'target_name_taken' },
    });
    await switchboard.removeTarget(created);
    const again = await save(receiver.url, 'twice');
    expect(again.status).toBe(201);
    await switchboard.removeTarget(again.json as Target);
  });

  it('shows neither secrets nor removed targets', async () => {
    const created = await switchboard.addTarget('once', receiver.url, ['never.*']);
    const shown = await switchboard.ask(`/targets/${created.id}`);
    expect(shown.text).not.toContain(created.secret);
    expect(shown.text.replace('"previous_secret_until":null', '')).not.toContain('secret');
    await switchboard.removeTarget(created);
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/pause'],
      ['POST', '/resume'],
      ['POST', '/test'],
      ['POST', '/exam'],
    ] as const) {
      const response = await switchboard.ask(`/targets/${created.id}${path}`, {
        method,
        ...(method === 'PATCH' && { json: {} }),
      });
      expect({ method, path, ...(response.json as object) }).toMatchObject({
        method,
        path,
        status: 404,
        code: 'target_unknown',
      });
    }
  });

  it('applies concurrent changes to different fields', async () => {
    const created = await switchboard.addTarget('meeting', receiver.url, ['never.*']);
    const change = (json: object) => switchboard.ask(`/targets/${created.id}`, { method: 'PATCH', json });
    await Promise.all([change({ name: 'met' }), change({ events: ['deal.*'] }), change({ enabled: false })]);
    const both = { name: 'met', events: ['deal.*'], enabled: false };
    expect(await switchboard.read(target, `/targets/${created.id}`)).toMatchObject(both);
    await switchboard.removeTarget(created);
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ name: 'a=b' }, 'name'],
    [{ events: [] }, 'events'],
    [{ events: ['deal created'] }, 'events.0'],
    [{ enabled: 'yes' }, 'enabled'],
    [{ unknown: 1 }, ''],
  ])('rejects %j with the path of the error', async (wrong, path) => {
    const json = { name: 'wrong', url: receiver.url, events: ['*'], ...wrong };
    const response = await switchboard.ask('/targets', { method: 'POST', json });
    expect(response).toMatchObject({ status: 400, json: { code: 'invalid_request' } });
    expect(problem.parse(response.json).errors!.map((error) => error.path)).toEqual([path]);
  });
});

const secretOf = (bytes: number, fill = 7) => `whsec_${Buffer.alloc(bytes, fill).toString('base64')}`;
let given = 0;
const createWith = (secret: unknown) => {
  const json = { name: `given ${(given += 1)}`, url: receiver.url, events: ['given.*'], secret };
  return switchboard.ask('/targets', { method: 'POST', json });
};

describe('a signing secret', () => {
  it('can be given for a new target, signs its requests, and is shown only in the response', async () => {
    const secret = secretOf(32, 255);
    const { status, json } = await createWith(secret);
    const { id } = json as Target;
    expect({ status, json }).toMatchObject({ status: 201, json: { secret } });
    expect(JSON.stringify((await switchboard.ask(`/targets/${id}`)).json)).not.toContain(secret);
    const event = await switchboard.emit('given.event');
    await until('it arrives', () => receiver.of(event).length === 1);
    const { headers, body } = receiver.of(event)[0]!;
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.`;
    const hmac = createHmac('sha256', Buffer.alloc(32, 255)).update(signed).update(body).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${hmac}`);
    await switchboard.removeTarget({ id });
    for (const bytes of [24, 25, 26, 64]) {
      const { json: created } = await createWith(secretOf(bytes));
      await switchboard.removeTarget(created as Target);
    }
  });

  it.each([
    ['too short', secretOf(23)],
    ['too long', secretOf(65)],
    ['without its prefix', secretOf(32).slice('whsec_'.length)],
    ['not base64', `whsec_${'*'.repeat(44)}`],
    ['cut off', secretOf(32).slice(0, -2)],
    ['empty', ''],
  ])('is rejected if it is %s, without being quoted', async (_, secret) => {
    const { status, json } = await createWith(secret);
    expect(status).toBe(400);
    expect(problem.parse(json).errors).toMatchObject([
      { path: 'secret', message: expect.stringContaining('24 to 64 bytes in base64') },
    ]);
    if (secret !== '') expect(JSON.stringify(json)).not.toContain(secret);
  });
});
