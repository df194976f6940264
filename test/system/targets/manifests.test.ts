import { auditEntry } from '../../../src/contract/audit';
import { manifestResult, type ManifestResult } from '../../../src/contract/manifest';
import { pageOf } from '../../../src/contract/page';
import { problem } from '../../../src/contract/problem';
import { target, type Target } from '../../../src/contract/target';
import { until } from '../../support/until';
import { makeToken, askWith } from '../access/token-fixture';
import { arrived, receiver, startAgain, startReceiver, switchboard, useHub } from './hub';

useHub();

const SECRETS = [1, 2, 3].map((fill) => `whsec_${Buffer.alloc(24, fill).toString('base64')}`);

const send = (name: string, json: object) =>
  switchboard.ask(`/manifests/${name}/apply`, { method: 'POST', json });

const apply = async (name: string, json: object): Promise<ManifestResult> => {
  const { status, json: answer } = await send(name, json);
  expect({ status, answer }).toMatchObject({ status: 200 });
  return manifestResult.parse(answer);
};

const refusal = async (name: string, json: object) => {
  const { status, json: answer } = await send(name, json);
  const { code, errors = [] } = problem.parse(answer);
  return { status, code, paths: errors.map(({ path }) => path) };
};

const actions = ({ changes }: ManifestResult) => changes.map(({ action, name }) => `${action} ${name}`);
const all = async () => (await switchboard.read(pageOf(target), '/targets?limit=200')).data;
const byName = async (name: string): Promise<Target> => (await all()).find((one) => one.name === name)!;
const settings = async () => JSON.stringify((await all()).map((one) => ({ ...one, backlog: 0, health: 0 })));
const audit = async () => (await switchboard.read(pageOf(auditEntry), '/audit?action=manifest.apply')).data;

const paused = (id: string) => switchboard.ask(`/targets/${id}/pause`, { method: 'POST' });

const shop = () => ({
  name: 'shop',
  url: receiver.url,
  events: ['shop.*'],
  filter: { 'data.id': { $gt: 1 } },
  headers: [
    { name: 'x-from', value: 'hub' },
    { name: 'authorization', value: 'Bearer first', secret: true },
  ],
  secret: SECRETS[0],
  policy: { ordering: 'entity', timeout_ms: 5_000 },
});
const ops = () => ({ name: 'ops', format: 'text', url: receiver.url });

describe('a manifest', () => {
  it('creates its targets at once, each with its audit entry, and changes nothing when it is applied again', async () => {
    const wanted = { targets: [shop()], alerts: [ops()] };
    expect(actions(await apply('prod', { ...wanted, dry_run: true }))).toEqual(['create shop', 'create ops']);
    expect(await all()).toEqual([]);
    expect(await audit()).toEqual([]);
    const made = await apply('prod', wanted);
    expect(actions(made)).toEqual(['create shop', 'create ops']);
    expect(made.changes.map(({ fields }) => fields.map(({ path }) => path))).toEqual([
      [
        'url',
        'filter',
        'events',
        'policy.ordering',
        'policy.timeout_ms',
        'headers.x-from',
        'headers.authorization',
      ],
      ['url'],
    ]);
    const [one, other] = await all();
    expect(made.changes.map(({ id }) => id)).toEqual([one!.id, other!.id]);
    expect(one).toMatchObject({ managed_by: 'prod', policy: { ordering: 'entity', timeout_ms: 5_000 } });
    expect(other).toMatchObject({ events: ['relay.*'], format: 'text', policy: { ordering: 'strict' } });
    expect((await audit()).map(({ subject }) => subject)).toEqual([
      { id: other!.id, name: 'ops' },
      { id: one!.id, name: 'shop' },
    ]);

    const before = await settings();
    for (const dryRun of [true, false]) {
      const again = await apply('prod', { ...wanted, dry_run: dryRun });
      expect(actions(again)).toEqual(['none shop', 'none ops']);
      expect(again.revision).toBe(made.revision);
    }
    expect(await settings()).toBe(before);
    expect(await audit()).toHaveLength(2);
  });

  it('sets changes by hand back, and shows of secrets only that they change', async () => {
    const { id } = await byName('shop');
    await switchboard.ask(`/targets/${id}`, {
      method: 'PATCH',
      json: {
        policy: { concurrency: 3 },
        headers: [{ name: 'authorization', value: 'by hand', secret: true }],
      },
    });
    const wanted = { ...shop(), secret: SECRETS[1] };
    const { changes } = await apply('prod', { targets: [wanted] });
    expect(changes[0]).toEqual({
      action: 'change',
      name: 'shop',
      id,
      cancels: 0,
      fields: [
        { path: 'policy.concurrency', before: 3, after: 16, secret: false },
        { path: 'headers.authorization', before: null, after: null, secret: true },
        { path: 'headers.x-from', before: null, after: 'hub', secret: false },
        { path: 'secret', before: null, after: null, secret: true },
      ],
    });
    expect((await audit())[0]).toMatchObject({ fields: ['policy', 'headers', 'secret'] });
    expect((await byName('shop')).previous_secret_until).not.toBeNull();
    const hit = await arrived(await switchboard.emit('shop.sale', { id: 2 }));
    expect(hit.headers).toMatchObject({ 'x-from': 'hub', authorization: 'Bearer first' });
    expect(hit.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
  });

  it('leaves a pause, a secret rotation and secrets as they are, and enables only what it says is enabled', async () => {
    const gone = await startReceiver(410);
    const entries = {
      targets: [
        { name: 'gone', url: gone.url, events: ['shop.*'] },
        { name: 'waits', url: receiver.url },
      ],
    };
    await apply('states', entries);
    const { id } = await byName('waits');
    await paused(id);
    await switchboard.ask(`/targets/${id}/secret/rotate`, { method: 'POST' });
    await switchboard.emit('shop.closed');
    await until('it is gone', async () => (await byName('gone')).disabled !== null);
    const before = await settings();
    expect(actions(await apply('states', entries))).toEqual(['none gone', 'none waits']);
    expect(await settings()).toBe(before);
    entries.targets[0] = { ...entries.targets[0]!, enabled: true } as never;
    expect(actions(await apply('states', entries))).toEqual(['change gone', 'none waits']);
    expect(await byName('gone')).toMatchObject({ enabled: true, disabled: null });
  });

  it('keeps id and queue of a target that it renames', async () => {
    await switchboard.emit('shop.queued');
    const before = await byName('waits');
    expect(before.backlog.open).toBeGreaterThan(0);
    const wanted = { targets: [{ name: 'patient', renamed_from: 'waits', url: receiver.url }] };
    const renamed = await apply('states', wanted);
    expect(renamed.changes).toEqual([
      expect.objectContaining({ action: 'rename', id: before.id, name: 'patient' }),
    ]);
    expect(await byName('patient')).toMatchObject({ id: before.id, backlog: { open: before.backlog.open } });
    expect(actions(await apply('states', wanted))).toEqual(['none patient']);
  });

  it('prunes only its own targets, and says first what that cancels', async () => {
    await switchboard.addTarget('by hand', receiver.url, ['never.*']);
    const before = (await all()).map(({ name }) => name);
    const { changes } = await apply('states', { prune: true, dry_run: true });
    expect(changes.map(({ action, name }) => `${action} ${name}`)).toEqual(['remove gone', 'remove patient']);
    expect(changes[1]!.cancels).toBe((await byName('patient')).backlog.open);
    expect(changes[1]!.cancels).toBeGreaterThan(0);
    expect(actions(await apply('states', { prune: true }))).toEqual(['remove gone', 'remove patient']);
    expect((await all()).map(({ name }) => name)).toEqual(
      before.filter((name) => !['gone', 'patient'].includes(name)),
    );
  });

  it('takes targets that it does not manage only if it is to adopt them', async () => {
    const entry = { name: 'by hand', url: receiver.url, events: ['never.*'] };
    const refused = { status: 409, code: 'target_not_managed', paths: ['targets.0.name'] };
    expect(await refusal('prod', { targets: [entry] })).toEqual(refused);
    expect(await refusal('other', { targets: [shop()] })).toEqual(refused);
    expect(actions(await apply('other', { targets: [entry], adopt: true }))).toEqual(['adopt by hand']);
    expect(await byName('by hand')).toMatchObject({ managed_by: 'other' });
  });
});

describe('a faulty manifest', () => {
  it('changes nothing, and has each fault named with its path', async () => {
    const before = await settings();
    const good = Array.from({ length: 19 }, (_, i) => ({ name: `good ${i}`, url: receiver.url }));
    const bad = {
      name: 'bad',
      url: 'http://169.254.169.254/',
      filter: { 'data.id': { $about: 1 } },
    };
    expect(
      await refusal('faulty', { targets: [...good, bad], alerts: [{ ...ops(), name: 'good 3' }] }),
    ).toEqual({
      status: 422,
      code: 'target_invalid',
      paths: ['targets.19.url', 'targets.19.filter.data.id.$about', 'alerts.0.name'],
    });
    expect(await settings()).toBe(before);
  });

  it('cannot send secrets to another origin that it does not know', async () => {
    const { url } = await startReceiver();
    const { secret: _, ...rest } = shop();
    const headers = [{ name: 'authorization', secret: true }];
    expect(await refusal('prod', { targets: [{ ...rest, headers, url }] })).toEqual({
      status: 422,
      code: 'target_invalid',
      paths: ['targets.0.secret', 'targets.0.headers.0.value'],
    });
    expect(
      actions(await apply('prod', { targets: [{ ...shop(), secret: SECRETS[2], url }], dry_run: true })),
    ).toEqual(['change shop']);
  });

  it('is refused if the targets have changed since its revision', async () => {
    const wanted = { targets: [{ ...shop(), events: ['shop.new'] }] };
    const { revision } = await apply('prod', { ...wanted, dry_run: true });
    await switchboard.ask(`/targets/${(await byName('shop')).id}`, {
      method: 'PATCH',
      json: { events: ['*'] },
    });
    expect(await refusal('prod', { ...wanted, revision })).toMatchObject({ status: 409, code: 'conflict' });
    const { revision: present } = await apply('prod', { ...wanted, dry_run: true });
    expect(actions(await apply('prod', { ...wanted, revision: present }))).toEqual(['change shop']);
  });
});

it('needs the scope operate; what manages a target is shown to all', async () => {
  const { secret } = await makeToken(switchboard, ['read']);
  const ask = (path: string, more = {}) => askWith(switchboard, secret, `/api/v1${path}`, more);
  for (const [path, method] of [
    ['/manifests/prod/apply', 'POST'],
    ['/manifests/export', 'GET'],
  ] as const)
    expect(await ask(path, { method, ...(method === 'POST' && { json: {} }) })).toMatchObject({
      status: 403,
    });
  const { data } = pageOf(target).parse((await ask('/targets')).json);
  expect(data.find(({ name }) => name === 'shop')).toMatchObject({ managed_by: 'prod' });
});

it('exports what changes nothing when it is applied, also after a restart', async () => {
  await switchboard.stop();
  await startAgain();
  const exported = (await switchboard.ask('/manifests/export?manifest=prod')).json as object;
  expect(JSON.stringify(exported)).not.toContain('Bearer');
  expect(actions(await apply('prod', exported))).toEqual(['none shop', 'none ops']);
  const everything = (await switchboard.ask('/manifests/export')).json as object;
  expect(actions(await apply('new', { ...everything, adopt: true, dry_run: true }))).toEqual([
    'adopt shop',
    'adopt by hand',
    'adopt ops',
  ]);
});
