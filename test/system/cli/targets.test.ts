import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Target, TargetCreated } from '../../../src/contract/target';
import { targetExam } from '../../../src/contract/target-exam';
import { HubCommands } from '../../support/daemon/hub-commands';
import { runInProcess } from '../../support/daemon/run-in-process';
import { Switchboard } from '../../support/daemon/switchboard';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { until } from '../../support/until';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

let hub: Switchboard;
let receiver: RecordingTarget;
let commands: HubCommands;
const folder = mkdtempSync(join(tmpdir(), 'switchboard-targets-'));

beforeAll(async () => {
  hub = await Switchboard.start();
  receiver = await RecordingTarget.start();
  commands = new HubCommands(hub);
});

afterAll(async () => {
  await hub.end();
  await receiver.close();
  rmSync(folder, { recursive: true });
});

const get = (name: string) => commands.json<Target>('targets', 'get', name);

const edit = async (script: string) =>
  runInProcess(['targets', 'edit', 'shop'], {
    ...(await commands.environment()),
    PATH: process.env['PATH']!,
    EDITOR: `sed -i '${script}'`,
  });

describe('targets', () => {
  it('adds one with all settings, and shows its secret once', async () => {
    const header = join(folder, 'header');
    writeFileSync(header, 'Bearer hidden-value\n');
    const flags = [
      '--url',
      receiver.url,
      '--events',
      'deal.*',
      '--events',
      'task.*',
      '--header',
      'X-From=hub',
    ];
    const more = [
      '--secret-header',
      `authorization=@${header}`,
      '--policy',
      'concurrency=2',
      '--policy',
      'breaker=null',
      '--signature',
      'x-own=t={time},v1={hex}',
      '--ed25519',
    ];
    const filter = ['--filter', '{"data.id":{"$gt":1}}', '--disabled'];
    const { code, out, err } = await commands.run(['targets', 'add', 'shop', ...flags, ...more, ...filter]);
    expect(code).toBe(0);
    expect(err).toMatch(/^Hub: .*\nWarning: .* is disabled/);
    expect(out).toMatch(/^Added shop \(tgt_\w{26}\)\.\nSigning secret, shown only once: whsec_\S+\n$/);
    const shop = await get('shop');
    expect(shop).toMatchObject({
      events: ['deal.*', 'task.*'],
      filter: { 'data.id': { $gt: 1 } },
      enabled: false,
      policy: { concurrency: 2, breaker: null },
      signature: { header: 'x-own', form: 't={time},v1={hex}' },
      ed25519: true,
      headers: [
        { name: 'x-from', value: 'hub', secret: false },
        { name: 'authorization', value: null, secret: true },
      ],
    });
    const shown = await commands.run(['targets', 'get', shop.id]);
    expect(shown.out).toMatch(/^events +deal\.\*, task\.\*$/m);
    expect(shown.out).toMatch(/^headers +.*\{"name":"authorization","value":null,"secret":true\}$/m);
    expect(JSON.stringify(shown)).not.toContain('hidden-value');
  });

  it('takes and writes secrets by files of their own, and writes over none', async () => {
    const [given, written] = [join(folder, 'given'), join(folder, 'written')];
    writeFileSync(given, `${SECRET}\n`);
    const add = ['targets', 'add', 'crm', '--url', receiver.url];
    const silent = await commands.run([...add, '--secret-in', given]);
    expect(JSON.stringify(silent)).not.toContain(SECRET);

    const rotated = await commands.json<TargetCreated>(
      'targets',
      'secret',
      'rotate',
      'crm',
      '--secret-out',
      written,
    );
    expect(rotated).toMatchObject({ name: 'crm', previous_secret_until: expect.any(String) });
    expect(rotated).not.toHaveProperty('secret');
    expect(readFileSync(written, 'utf8')).toMatch(/^whsec_\S+\n$/);
    expect(statSync(written).mode & 0o777).toBe(0o600);
    const again = await commands.run(['targets', 'secret', 'rotate', 'crm', '--secret-out', written]);
    expect(again).toMatchObject({ code: 78, err: expect.stringMatching(/EEXIST.*does not exist yet/) });
    // Nothing is left of a file for a secret that was not made.
    const unused = join(folder, 'unused');
    expect((await commands.run([...add, '--secret-out', unused])).code).toBe(1);
    expect(readdirSync(folder)).not.toContain('unused');
  });

  it('edits by flags what they name, and keeps the other headers', async () => {
    const flags = [
      '--header',
      'x-from=',
      '--header',
      'x-to=shop',
      '--filter',
      'null',
      '--enabled',
      '--policy',
      'concurrency=3',
    ];
    const { code, err } = await commands.run(['targets', 'edit', 'shop', ...flags]);
    expect(code).toBe(0);
    expect(err).toContain('policy.concurrency  2 → 3\n');
    const { headers, filter, enabled, policy } = await get('shop');
    expect({ filter, enabled, concurrency: policy.concurrency }).toEqual({
      filter: null,
      enabled: true,
      concurrency: 3,
    });
    expect(headers.map(({ name }) => name)).toEqual(['authorization', 'x-to']);
  });

  describe('in an editor', () => {
    const { isTTY } = process.stdin;
    beforeAll(() => (process.stdin.isTTY = true));
    afterAll(() => (process.stdin.isTTY = isTTY));

    it('sends only what changed, and shows it', async () => {
      const before = await get('shop');
      const { code, out, err } = await edit('s/concurrency: 3/concurrency: 4/; s/deal\\.\\*/deal.created/');
      expect({ code, out }).toEqual({ code: 0, out: 'Changed shop.\n' });
      expect(err.split('\n').slice(1, 3)).toEqual([
        'events  ["deal.*","task.*"] → ["deal.created","task.*"]',
        'policy.concurrency  3 → 4',
      ]);
      expect((await get('shop')).headers).toEqual(before.headers);
    });

    it('sends nothing if nothing changed', async () => {
      const { updated_at: before } = await get('shop');
      expect(await edit('')).toMatchObject({ code: 0, err: expect.stringContaining('Nothing is changed.') });
      expect((await get('shop')).updated_at).toBe(before);
    });

    it.each([
      ['is no YAML', 's/policy:/policy: [/', 78, /not YAML: .*line \d+/],
      ['is refused', 's/concurrency: 4/concurrency: 0/', 1, /policy\.concurrency: /],
    ])('keeps a text that %s', async (_, script, code, sentence) => {
      const result = await edit(script);
      expect(result.code).toBe(code);
      expect(result.err).toMatch(sentence);
      const file = /The text is kept in (\S+)\.\n/.exec(result.err)![1]!;
      expect(readFileSync(file, 'utf8')).toContain('name: shop');
      rmSync(file);
    });
  });

  it('tests one: a sample or a stored event; 3 if it is not delivered', async () => {
    const event = await hub.emit('deal.created', { id: 4711 });
    await until('both targets have it', () => receiver.of(event).length === 2);
    receiver.hits.length = 0;
    const good = await commands.run(['targets', 'test', 'shop', '--event', event]);
    expect(good).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^shop: delivered \(200\) in \d+ ms\n$/),
    });
    const tests = receiver.hits.filter(({ headers }) => headers['switchboard-trigger'] === 'test');
    expect(tests.map(({ body }) => String(body))).toEqual([expect.stringContaining('4711')]);
    receiver.respondWith((response) => response.writeHead(500).end('broken\u001b[31m'));
    const bad = await commands.run(['targets', 'test', 'shop']);
    receiver.respondWith(200);
    expect(bad.code).toBe(3);
    expect(bad.out).toMatch(/^shop: not delivered \(500, .*\) in \d+ ms\n {2}broken\ufffd\[31m\n$/);
  });

  it('examines a receiver: 0 only if all of its responses are right', async () => {
    let requests = 0;
    receiver.respondWith((response) => response.writeHead((requests += 1) > 2 ? 401 : 204).end());
    const good = await commands.run(['targets', 'exam', 'shop', '--json']);
    expect(good.code).toBe(0);
    expect(targetExam.parse(JSON.parse(good.out))).toMatchObject({ passed: true });
    receiver.respondWith(200);
    const bad = await commands.run(['targets', 'exam', 'shop']);
    expect(bad.code).toBe(3);
    expect(bad.out).toMatch(/^repeated +passed +\d+ +Accepted with HTTP 200\.$/m);
    expect(bad.out).toMatch(
      /^unsigned +failed +\d+ +Accepted .* See docs\/receivers\.md#example-receivers$/m,
    );
  });

  it('pauses and resumes several, for a time and with a reason', async () => {
    const pause = ['targets', 'pause', 'shop', 'crm', '--reason', 'upgrade', '--for', '2h'];
    expect((await commands.run(pause)).out).toBe('Paused: shop, crm\n');
    const { paused } = await get('shop');
    expect(paused).toMatchObject({ reason: 'upgrade' });
    expect(Date.parse(paused!.until!) - Date.parse(paused!.at)).toBeCloseTo(7_200_000, -5);
    const list = await commands.run(['targets', 'list'], 'read');
    expect(list.out).toMatch(/^name +state +since +queued +last success$/m);
    expect(list.out).toMatch(/^shop +paused +20\S+Z +0 +20\S+Z/m);
    expect((await commands.run(['targets', 'resume', '--all', '--yes'])).out).toBe('Resumed: shop, crm\n');
    expect((await commands.run(['targets', 'resume', 'crm'])).out).toBe('Nothing had to be changed.\n');
  });

  it('names the queued deliveries that a removal cancels', async () => {
    await commands.run(['targets', 'pause', 'crm']);
    await hub.emit('deal.created', { id: 9 });
    const asked = await commands.run(['targets', 'remove', 'crm']);
    expect(asked).toMatchObject({
      code: 2,
      err: expect.stringContaining('crm: This cancels 1 queued delivery.\n'),
    });
    expect((await commands.run(['targets', 'remove', 'crm', '--yes'])).out).toBe('Removed crm.\n');
    expect(await commands.run(['targets', 'get', 'crm'])).toMatchObject({ code: 1, out: '' });
  });
});
