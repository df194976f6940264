import { target, type Target } from '../../../src/contract/target';
import { pageOf } from '../../../src/contract/page';
import { problem } from '../../../src/contract/problem';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

let board: Switchboard;
let place: RecordingTarget;

beforeAll(async () => {
  place = await RecordingTarget.start();
  board = await Switchboard.start();
});

afterAll(async () => {
  await board.end();
  await place.close();
});

let saved = 0;
const save = (url: string, name = `saved ${(saved += 1)}`) =>
  board.ask('/targets', { method: 'POST', json: { name, url, events: ['never.*'] } });

const refused = async (url: string) => {
  const { status, json } = await save(url);
  return { url, status, code: problem.parse(json).code };
};

describe('an address that targets may not have', () => {
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
  ])('is refused when it is saved, however it is spelled: %s', async (url) => {
    expect(await refused(url)).toEqual({ url, status: 422, code: 'address_denied' });
  });

  it('is refused in a change as well, and the target stays as it was', async () => {
    const made = await board.addTarget('to be changed', place.url, ['never.*']);
    const answer = await board.ask(`/targets/${made.id}`, {
      method: 'PATCH',
      json: { url: 'http://169.254.169.254/', new_secret: true },
    });
    expect(answer).toMatchObject({ status: 422, json: { code: 'address_denied' } });
    expect((await board.read(target, `/targets/${made.id}`)).url).toBe(place.url);
    await board.removeTarget(made);
  });

  it.each(['http://10.0.0.1/', 'http://192.168.1.20:3000/', 'http://[fd12::1]/', 'https://hooks.example/'])(
    'is no private one: those are what a hub of one\u2019s own is for: %s',
    async (url) => {
      const answer = await save(url);
      expect(answer.status).toBe(201);
      await board.removeTarget(answer.json as Target);
    },
  );

  it.each(['ftp://127.0.0.1/', 'file:///etc/passwd', 'not an address', '//127.0.0.1/', ''])(
    'is none at all without http: %j',
    async (url) => {
      expect(await refused(url)).toEqual({ url, status: 400, code: 'invalid_request' });
    },
  );
});

describe('our own intake', () => {
  it.each([
    (port: number, path: string) => `http://localhost:${port}${path}`,
    (port: number, path: string) => `http://127.0.0.1:${port}${path}`,
    (port: number, path: string) => `http://127.1:${port}${path}?a=b`,
    (port: number, path: string) => `http://[::1]:${port}${path}`,
    (port: number, path: string) => `http://[::ffff:127.0.0.1]:${port}${path}`,
    (port: number, path: string) => `http://LOCALHOST:${port}${path.replace('hooks', '%68ooks')}`,
    (port: number) => `http://localhost:${port}/hooks/`,
  ])('is refused as a target, however it is spelled (%#)', async (spell) => {
    const url = spell(board.port, board.hookPath);
    expect(await refused(url)).toEqual({ url, status: 422, code: 'own_intake' });
  });

  it('is not what another path of this machine is', async () => {
    const answer = await save(`http://127.0.0.1:${board.port}/healthz`);
    expect(answer.status).toBe(201);
    await board.removeTarget(answer.json as Target);
  });
});

describe('the list of targets', () => {
  it('is walked page by page, each once, in the order in which they were made', async () => {
    const names = Array.from({ length: 7 }, (_, i) => `listed ${i}`);
    for (const name of names) await board.addTarget(name, place.url, ['never.*']);
    const walked: Target[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page = await board.read(pageOf(target), `/targets?limit=3${query}`);
      walked.push(...page.data);
      cursor = page.next_cursor;
      // The one that the cursor names goes away.
      if (walked.length === 3) await board.removeTarget(walked[2]!);
    }
    expect(walked.map(({ name }) => name)).toEqual(names);
    await Promise.all(walked.filter((_, i) => i !== 2).map((one) => board.removeTarget(one)));
    const unknown = await board.ask('/targets?cursor=nonsense');
    expect(unknown).toMatchObject({ status: 400, json: { code: 'cursor_unknown' } });
  });

  it('has fewer on a page where they are large', async () => {
    const headers = Array.from({ length: 20 }, (_, i) => ({ name: `x-${i}`, value: 'v'.repeat(4_000) }));
    const names = Array.from({ length: 10 }, (_, i) => `large ${i}`);
    for (const name of names) await board.addTarget(name, place.url, ['never.*'], { headers });
    const first = await board.read(pageOf(target), '/targets?limit=200');
    const second = await board.read(pageOf(target), `/targets?limit=200&cursor=${first.next_cursor}`);
    expect(JSON.stringify(first).length).toBeLessThan(1024 * 1024);
    expect([...first.data, ...second.data].map(({ name }) => name)).toEqual(names);
    for (const one of [...first.data, ...second.data]) await board.removeTarget(one);
  });

  it('holds two hundred at most, however many are made at once', async () => {
    const answers = await Promise.all(Array.from({ length: 203 }, () => save(place.url)));
    const made = answers.filter(({ status }) => status === 201).map(({ json }) => json as Target);
    expect(made).toHaveLength(200);
    expect(problem.parse(answers.find(({ status }) => status !== 201)!.json)).toMatchObject({
      status: 409,
      code: 'too_many_targets',
      remedy: expect.stringContaining('Remove one'),
    });
    await board.removeTarget(made.pop()!);
    made.push((await save(place.url, 'in its place')).json as Target);
    for (const one of made) await board.removeTarget(one);
  });

  it('holds each name once', async () => {
    const twice = await Promise.all([save(place.url, 'twice'), save(place.url, 'twice')]);
    expect(twice.map(({ status }) => status)).toEqual(expect.arrayContaining([201, 409]));
    const made = twice.find(({ status }) => status === 201)!.json as Target;
    expect(await save(place.url, 'twice')).toMatchObject({
      status: 409,
      json: { code: 'target_name_taken' },
    });
    await board.removeTarget(made);
    const again = await save(place.url, 'twice');
    expect(again.status).toBe(201);
    await board.removeTarget(again.json as Target);
  });

  it('shows the secret once, and no target that was removed', async () => {
    const made = await board.addTarget('once', place.url, ['never.*']);
    const shown = await board.ask(`/targets/${made.id}`);
    expect(shown.text).not.toContain(made.secret);
    expect(shown.text).not.toContain('secret');
    await board.removeTarget(made);
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/pause'],
      ['POST', '/resume'],
      ['POST', '/test'],
    ] as const) {
      const answer = await board.ask(`/targets/${made.id}${path}`, {
        method,
        ...(method === 'PATCH' && { json: {} }),
      });
      expect({ method, path, ...(answer.json as object) }).toMatchObject({
        method,
        path,
        status: 404,
        code: 'target_unknown',
      });
    }
  });

  it('takes changes that meet, both', async () => {
    const made = await board.addTarget('meeting', place.url, ['never.*']);
    const change = (json: object) => board.ask(`/targets/${made.id}`, { method: 'PATCH', json });
    await Promise.all([change({ name: 'met' }), change({ events: ['deal.*'] }), change({ enabled: false })]);
    const both = { name: 'met', events: ['deal.*'], enabled: false };
    expect(await board.read(target, `/targets/${made.id}`)).toMatchObject(both);
    await board.removeTarget(made);
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ name: 'a=b' }, 'name'],
    [{ events: [] }, 'events'],
    [{ events: ['deal created'] }, 'events.0'],
    [{ enabled: 'yes' }, 'enabled'],
    [{ unknown: 1 }, ''],
  ])('names what is wrong with %j', async (wrong, path) => {
    const json = { name: 'wrong', url: place.url, events: ['*'], ...wrong };
    const answer = await board.ask('/targets', { method: 'POST', json });
    expect(answer).toMatchObject({ status: 400, json: { code: 'invalid_request' } });
    expect(problem.parse(answer.json).errors!.map((error) => error.path)).toEqual([path]);
  });
});

describe('after a restart', () => {
  it('results, pauses and what was open are as they were, and denied addresses are denied at the connection', async () => {
    const byName = await board.addTarget('by name', place.url.replace('127.0.0.1', 'localhost'), ['kept.*']);
    const literal = await board.addTarget('literal', place.url, ['kept.*']);
    const paused = await board.addTarget('paused', place.url, ['kept.*']);
    await board.ask(`/targets/${paused.id}/pause`, { method: 'POST' });
    const id = await board.emit('kept.event');
    const before = await board.deliveryOnce(id, literal.id, ({ state }) => state === 'succeeded');
    await board.deliveryOnce(id, byName.id, ({ state }) => state === 'succeeded');

    await board.stop();
    board = await Switchboard.start({
      after: board,
      environment: {
        SWITCHBOARD_TARGET_DENY: '127.0.0.0/8,::1/128',
        SWITCHBOARD_TARGETS: 'from the settings=http://10.1.2.3/',
      },
    });
    expect(await board.delivery(before.id)).toEqual(before);
    const shown = await board.read(target, `/targets/${paused.id}`);
    expect(shown.paused).not.toBeNull();
    expect(shown.backlog.open).toBe(1);

    const denied = await board.emit('kept.event');
    const hits = place.hits.length;
    for (const { id: targetId } of [byName, literal]) {
      const { attempts } = await board.deliveryOnce(denied, targetId, (one) => one.attempts.length > 0);
      expect(attempts[0]).toMatchObject({ status: null, error: 'address_denied' });
    }
    expect(await refused('http://localhost:3000/')).toMatchObject({ status: 422, code: 'address_denied' });
    expect(await refused('http://[::ffff:127.0.0.1]:3000/')).toMatchObject({
      status: 422,
      code: 'address_denied',
    });
    expect((await save('http://169.254.169.254/')).status).toBe(201);
    expect(place.hits).toHaveLength(hits);

    await board.stop();
    board = await Switchboard.start({
      after: board,
      environment: {
        SWITCHBOARD_TARGET_ALLOW: '127.0.0.1/32',
        SWITCHBOARD_TARGETS: 'from the settings=http://10.1.2.3/',
      },
    });
    const { data } = await board.read(pageOf(target), '/targets');
    expect(data.filter(({ name }) => name === 'from the settings')).toHaveLength(1);
    expect(await refused('http://10.1.2.4/')).toMatchObject({ status: 422, code: 'address_denied' });
    await board.ask(`/targets/${paused.id}/resume`, { method: 'POST' });
    await board.deliveryOnce(id, paused.id, ({ state }) => state === 'succeeded');
    board.clock.move(10_000);
    await board.deliveryOnce(denied, literal.id, ({ state }) => state === 'succeeded');
    await until('both at the target', () => place.of(denied).length >= 2);
  });
});
