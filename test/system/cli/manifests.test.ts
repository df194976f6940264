import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { ManifestResult } from '../../../src/contract/manifest';
import type { Target } from '../../../src/contract/target';
import { HubCommands } from '../../support/daemon/hub-commands';
import { runInProcess } from '../../support/daemon/run-in-process';
import { Switchboard } from '../../support/daemon/switchboard';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { stored } from '../access/token-fixture';

const SECRET = `whsec_${Buffer.alloc(32, 'canary').toString('base64')}`;
const VALUES = { SHOP_TOKEN: 'canary-of-a-token', SHOP_SECRET: SECRET, SHOP_FROM: 'canary-in-a-header' };

let hub: Switchboard;
let receiver: RecordingTarget;
let commands: HubCommands;
const folder = mkdtempSync(join(tmpdir(), 'switchboard-manifests-'));
const file = join(folder, 'switchboard.yaml');

beforeAll(async () => {
  hub = await Switchboard.start({ environment: { LOG_LEVEL: 'debug' } });
  receiver = await RecordingTarget.start();
  commands = new HubCommands(hub);
});

afterAll(async () => {
  await hub.end();
  await receiver.close();
  rmSync(folder, { recursive: true });
});

const manifest = (more = '') => `version: 1
name: prod
targets:
  - name: shop
    url: "${receiver.url}"
    events: [shop.*]
    filter: {data.id: {$in: [2, 12345678901234567890]}}
    headers:
      - {name: Authorization, value: "Bearer \${SHOP_TOKEN}", secret: true}
      - {name: x-from, value: "\${SHOP_FROM} $\${NOT_ONE}"}
    secret: \${SHOP_SECRET}
${more}`;

const run = async (text: string, args: string[], values: Record<string, string> = VALUES) => {
  writeFileSync(file, text);
  const environment = { ...(await commands.environment()), ...values };
  return runInProcess(['targets', ...args, '-f', file], environment);
};

it('applies a file, and finds nothing that differs afterwards', async () => {
  const unasked = await run(manifest(), ['apply']);
  expect(unasked).toMatchObject({ code: 2, err: expect.stringContaining('Use --yes to skip it.') });
  expect(unasked.err).toContain('Values are sent of SHOP_FROM, SHOP_SECRET, SHOP_TOKEN.');
  const applied = await run(manifest(), ['apply', '--yes']);
  expect(applied).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^create shop\n[^]*Applied 1 change\.\n$/),
  });
  expect(await commands.json<Target>('targets', 'get', 'shop')).toMatchObject({
    managed_by: 'prod',
    filter: { 'data.id': { $in: [2, '12345678901234567890'] } },
    headers: [
      { name: 'authorization', value: null, secret: true },
      { name: 'x-from', value: 'canary-in-a-header ${NOT_ONE}', secret: false },
    ],
  });
  const same = await run(manifest(), ['diff', '--exit-code']);
  expect(same).toMatchObject({ code: 0, out: '', err: expect.stringContaining('Nothing differs.') });

  await commands.run(['targets', 'edit', 'shop', '--events', 'shop.sale', '--header', 'x-from=me']);
  const differs = await run(manifest(), ['diff', '--exit-code']);
  expect(differs).toMatchObject({
    code: 3,
    out: 'change shop\n  events  ["shop.sale"] → ["shop.*"]\n  headers.x-from  changed\n',
  });
  const json = await run(manifest(), ['apply', '--yes', '--json']);
  expect(JSON.parse(json.out) as ManifestResult).toMatchObject({
    changes: [{ action: 'change', name: 'shop' }],
  });
  for (const output of [unasked, applied, same, differs, json])
    expect(JSON.stringify(output)).not.toMatch(/canary|whsec_/);
  const seen = [hub.logged, JSON.stringify((await hub.ask('/audit')).json)].join('\n');
  expect(seen).toContain('manifest.apply');
  expect(seen).not.toMatch(/canary|whsec_/);
  expect(stored(hub)).not.toContain('canary-of-a-token');
});

it('takes values of variables from files as well', async () => {
  const [token, env] = [join(folder, 'token'), join(folder, 'env')];
  writeFileSync(token, `${VALUES.SHOP_TOKEN}\n`);
  writeFileSync(env, `SHOP_SECRET="${SECRET}"\nSHOP_FROM=canary-in-a-header\nSHOP_TOKEN=another\n`);
  const args = ['diff', '--exit-code', '--env-file', env];
  expect(await run(manifest(), args, { SHOP_TOKEN_FILE: token })).toMatchObject({ code: 0, out: '' });
});

it.each([
  [
    'a name with a typing error',
    '    evnts: [a]\n',
    /:12:5: targets\.0: Unknown: "evnts"\. Did you mean events\?/,
  ],
  ['a wrong value', '    policy: {timeout_ms: 1}\n', /:12:26: targets\.0\.policy\.timeout_ms: Too small/],
  [
    'a secret in the file',
    '  - {name: a, url: "http://a.example", secret: whsec_x}\n',
    /:12:48: targets\.1\.secret: a secret must not/,
  ],
  ['a name twice', 'targets: []\n', /:12:1: Map keys must be unique/],
  ['a name that no manifest has', 'prune: true\n', /:12:1: Unknown: "prune"\. Accepted names: version/],
  ['many aliases', `x: &a [1]\ny: [${'*a, '.repeat(101)}]\n`, /Excessive alias count/],
  ['a variable without a value', '    renamed_from: ${NOWHERE}\n', /no value: NOWHERE\. Set them/],
  ['too much', `# ${'x'.repeat(256 * 1024)}`, /larger than 256 KiB/],
])('says where the fault is of %s', async (_, more, sentence) => {
  const { code, out, err } = await run(manifest(more), ['apply', '--yes']);
  expect({ code, out, err }).toEqual({ code: 78, out: '', err: expect.stringMatching(sentence) });
});

it('prunes by an empty file only when that is confirmed', async () => {
  const empty = 'version: 1\nname: prod\n';
  const refused = await run(empty, ['apply', '--prune']);
  expect(refused).toMatchObject({ code: 2, out: 'remove shop\n' });
  expect((await run(empty, ['diff'])).out).toBe('');
  const { out } = await commands.run(['targets', 'export', '--manifest', 'prod']);
  expect(out).toMatch(
    /^# yaml-language-server: \$schema=http.*\/api\/v1\/schemas\/switchboard\.json\nversion: 1\n/,
  );
  expect((await run(out, ['diff', '--exit-code'], {})).code).toBe(0);
  expect(await run(empty, ['apply', '--prune', '--yes'])).toMatchObject({ code: 0 });
  // On another hub, secrets are missing.
  const elsewhere = await run(out, ['diff'], {});
  expect(elsewhere).toMatchObject({
    code: 78,
    err: expect.stringContaining('the value of authorization is missing'),
  });
  expect(parse(out)).toMatchObject({ name: 'prod', targets: [{ name: 'shop' }], alerts: [] });
});
