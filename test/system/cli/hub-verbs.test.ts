import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Consumer } from '../../../src/contract/consumer';
import type { DeadLetterCauses } from '../../../src/contract/dead-letter';
import type { Delivery, DeliveryJob } from '../../../src/contract/delivery';
import type { Token, TokenCreated } from '../../../src/contract/token';
import { HubCommands } from '../../support/daemon/hub-commands';
import { Switchboard } from '../../support/daemon/switchboard';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { until } from '../../support/until';

let hub: Switchboard;
let receiver: RecordingTarget;
let commands: HubCommands;

beforeAll(async () => {
  hub = await Switchboard.start();
  receiver = await RecordingTarget.start();
  await hub.addTarget('shop', receiver.url, ['*'], { policy: { retry: { delays_s: [] }, breaker: null } });
  commands = new HubCommands(hub);
});

afterAll(async () => {
  await hub.end();
  await receiver.close();
});

const lines = (text: string) => text.trimEnd().split('\n');

const list = async (...flags: string[]) => {
  const { out } = await commands.run(['dead', 'list', ...flags, '--json'], 'read');
  return out === '' ? [] : lines(out).map((line) => JSON.parse(line) as Delivery);
};

const sent = () => receiver.hits.splice(0).map(({ body }) => String(body));

const trigger = (...flags: string[]) => commands.run(['trigger', 'deal.updated', '--to', 'shop', ...flags]);

describe('dead', () => {
  it('lists, counts by cause, retries and discards dead letters, and waits for the job', async () => {
    receiver.respondWith(500);
    for (let id = 1; id <= 4; id += 1) await hub.emit('deal.created', { id });
    await until('they are dead', async () => (await list()).length === 4);
    const table = await commands.run(['dead', 'list', '--target', 'shop', '--error', '500'], 'read');
    expect(table.out).toMatch(/^created +id +target +seq +type +entity +error$/m);
    expect(table.out).toMatch(/^\S+Z +dlv_\w{26} +shop +\d+ +deal\.created +deal:4 +.*500/m);
    const causes = await commands.run(['dead', 'list', '--causes', '--json'], 'read');
    expect(JSON.parse(causes.out) as DeadLetterCauses['data'][number]).toMatchObject({
      target_name: 'shop',
      deliveries: 4,
    });
    expect((await commands.run(['dead', 'list', '--causes'])).out).toMatch(/^shop +http_status|500 +4 /m);

    const [newest, second, ...others] = await list();
    expect(await commands.run(['dead', 'retry', newest!.id])).toMatchObject({
      code: 3,
      out: 'Retried 1 dead letter, 1 dead again.\n',
    });
    expect((await commands.run(['dead', 'retry', newest!.id])).err).toMatch(/There is no such dead letter/);
    receiver.respondWith(200);
    sent();
    const [again] = await list();
    expect(await commands.run(['dead', 'retry', again!.id])).toMatchObject({
      code: 0,
      out: 'Retried 1 dead letter, 1 delivered.\n',
    });
    expect(receiver.hits.splice(0)).toMatchObject([
      { headers: expect.not.objectContaining({ 'switchboard-replay': expect.anything() }) },
    ]);
    const asked = await commands.run(['dead', 'discard', second!.id, '--reason', 'old', '--json']);
    expect(JSON.parse(asked.err)).toMatchObject({ code: 'no_terminal' });
    const discarded = await commands.run([
      'dead',
      'discard',
      second!.id,
      '--reason',
      'old',
      '--yes',
      '--json',
    ]);
    expect(JSON.parse(lines(discarded.out).at(-1)!) as DeliveryJob).toMatchObject({
      state: 'done',
      done: 1,
      reason: 'old',
    });
    const retry = ['dead', 'retry', '--type', 'deal.*', '--yes'];
    await commands.run(['targets', 'pause', 'shop', '--reason', 'maintenance']);
    const { code: late, err: waiting } = await commands.run([...retry, '--wait', '0.5']);
    expect({ late, waiting: lines(waiting).slice(-2) }).toEqual({
      late: 75,
      waiting: [
        expect.stringMatching(
          /^Waiting for shop, paused since \S+Z: maintenance\. To go on: switchboard targets resume shop$/,
        ),
        expect.stringMatching(/^job_\w{26} runs on at the hub\.$/),
      ],
    });
    await commands.run(['targets', 'resume', 'shop']);
    await until('the others are delivered', () => receiver.hits.length === others.length);
    expect(await list()).toEqual([]);
    expect(await commands.run(['dead', 'list'], 'read')).toEqual({
      code: 0,
      out: '',
      err: 'There is no dead letter.\n',
    });
    const { code, out, err } = await commands.run(retry);
    expect({ code, out, err: lines(err).at(-1) }).toEqual({
      code: 0,
      out: '',
      err: 'There is no dead letter.',
    });
  });
});

describe('trigger', () => {
  it('sends tests with given data, changed data of the newest event, or raw bytes', async () => {
    receiver.respondWith(200);
    await hub.emit('deal.updated', { id: 7, owner: { name: 'Ada', team: 2 } });
    await until('it is delivered', () => receiver.hits.some(({ body }) => String(body).includes('Ada')));
    sent();
    expect(await trigger('--data', '{"id":8}', '--count', '2', '--rate', '1000/s')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^(shop: delivered \(200\) in \d+ ms\n){2}$/),
    });
    expect(sent().map((body) => (JSON.parse(body) as { data: unknown }).data)).toEqual([
      { id: 8 },
      { id: 8 },
    ]);
    await trigger('--override', 'data.owner.name=Grace', '--override', 'data.stage=4');
    expect(JSON.parse(sent()[0]!)).toMatchObject({
      event: 'deal.updated',
      data: { id: 7, owner: { name: 'Grace', team: 2 }, stage: 4 },
    });
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-trigger-'));
    writeFileSync(join(folder, 'raw'), '{ "no": json');
    await trigger('--raw', join(folder, 'raw'));
    rmSync(folder, { recursive: true });
    expect(sent()).toEqual(['{ "no": json']);
  });

  it('ends with 3 if a test is not delivered', async () => {
    receiver.respondWith(404);
    expect((await commands.run(['trigger', 'deal.created', '--to', 'shop'])).code).toBe(3);
  });
});

describe('token', () => {
  it('prints the secret of a new one alone, lists and revokes it', async () => {
    const { out, err } = await commands.run([
      'token',
      'create',
      'ci',
      '--scope',
      'read',
      '--scope',
      'listen',
      '--expires',
      '90d',
    ]);
    expect(out).toMatch(/^switchboard_[0-9a-f]{64}\n$/);
    const id = /Created ci \((tok_\w{26})\), which expires at/.exec(err)![1]!;
    const listed = await commands.run(['token', 'list']);
    expect(listed.out).toMatch(
      new RegExp(`^${id} +ci +read, listen +${out.slice(-5, -1)} +active +20\\S+Z +never$`, 'm'),
    );
    expect((await commands.run(['token', 'revoke', id, '--yes'])).out).toBe(`Revoked ${id}.\n`);
    const json = await commands.run(['token', 'list', '--json']);
    expect(lines(json.out).map((line) => (JSON.parse(line) as Token).id)).not.toContain(id);
    expect(await commands.json<TokenCreated>('token', 'create', 'x', '--scope', 'read')).toHaveProperty(
      'secret',
    );
  });
});

describe('consumers', () => {
  it('creates, lists, resets and removes one', async () => {
    const create = ['create', 'billing', '--type', 'deal.*', '--start', 'oldest'];
    expect((await commands.run(['consumers', ...create], 'receive')).code).toBe(0);
    const made = await commands.json<Consumer>('consumers', ...create);
    expect(made).toMatchObject({ name: 'billing', types: ['deal.*'], position: null });
    expect((await commands.run(['consumers', 'list'])).out).toMatch(/^billing +\d+ +0 +20\S+Z +never$/m);
    expect((await commands.run(['consumers', 'get', 'billing'])).out).toMatch(/^types +deal\.\*$/m);
    const reset = await commands.json<Consumer>(
      'consumers',
      'reset',
      'billing',
      '--position',
      'newest',
      '--yes',
    );
    expect(reset).toMatchObject({ lag: 0, position: expect.stringMatching(/^evt_/) });
    expect((await commands.run(['consumers', 'delete', 'billing', '--yes'])).out).toBe('Removed billing.\n');
    expect((await commands.run(['consumers', 'get', 'billing'])).code).toBe(1);
  });
});
