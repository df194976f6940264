import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/start-sandbox';

import { Client } from './client';
import { TimerClock } from './timer-clock';
import { readAnswer } from './read-answer';
import { type Receiver, startReceiver } from './receiver';
import { until } from '../support/until';

/** What a sandbox with a folder keeps across restarts, and what it refuses to start on. */
let folder: string;
let folders: string[];
let clock: TimerClock;
let sandbox: Sandbox;
let running: Sandbox[];
let client: Client;
let receiver: Receiver;

beforeEach(async () => {
  folders = [];
  running = [];
  folder = newFolder();
  clock = new TimerClock();
  receiver = await startReceiver();
  sandbox = await start();
  client = new Client(sandbox);
});
afterEach(async () => {
  for (const one of running) await one.close();
  await receiver.close();
  for (const one of folders) rmSync(one, { recursive: true });
});

function newFolder(): string {
  const made = mkdtempSync(join(tmpdir(), 'copilot-sandbox-'));
  folders.push(made);
  return made;
}

async function start(options: SandboxOptions = {}): Promise<Sandbox> {
  const started = await startSandbox({ consent: 'grant', clock, data: folder, ...options });
  running.push(started);
  return started;
}

async function stop(one: Sandbox): Promise<void> {
  running.splice(running.indexOf(one), 1);
  await one.close();
}

/** A sandbox on what was on disk at this moment, as after a SIGKILL, in place of the one that runs. */
async function kill(options: SandboxOptions = {}): Promise<void> {
  const copy = newFolder();
  cpSync(folder, copy, { recursive: true });
  await stop(sandbox);
  sandbox = await start({ data: copy, ...options });
  client.moveTo(sandbox);
}

async function restart(): Promise<void> {
  await stop(sandbox);
  sandbox = await start();
  client.moveTo(sandbox);
}

const file = (): string => join(folder, 'sandbox.json');
const inode = (): number => statSync(file()).ino;

const panel = async <T>(path: string, shape: z.ZodType<T>): Promise<T> =>
  readAnswer(await fetch(`${sandbox.baseUrl}/panel${path}`), shape);

const records = z.object({ data: z.array(z.looseObject({ id: z.number() })) });
const ids = (lists: z.infer<typeof records>[]) => lists.map(({ data }) => data.map(({ id }) => id));
const deliveries = z.object({
  data: z.array(
    z.object({
      event: z.string(),
      state: z.string(),
      attempts: z.array(z.object({ number: z.number(), at: z.string() })),
      nextAttemptAt: z.string().nullable(),
    }),
  ),
});

const deliveriesOf = async (webhook: string): Promise<z.infer<typeof deliveries>['data']> =>
  (await panel(`/webhooks/${webhook}/deliveries`, deliveries)).data;

const untilLatest = (webhook: string, state: string, attempts: number): Promise<void> =>
  until(`a delivery that is ${state} after ${attempts} attempts`, async () => {
    const [latest] = await deliveriesOf(webhook);
    return latest?.state === state && latest.attempts.length === attempts;
  });

describe('what an HTTP answer promised outlives a SIGKILL right after it', () => {
  test('an application made in the panel, with its Client Secret', async () => {
    const made = await fetch(`${sandbox.baseUrl}/panel/applications`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Relay', redirect_uris: ['https://relay.example/back'] }),
    });
    const credentials = await readAnswer(
      made,
      z.object({ client_id: z.string(), client_secret: z.string() }),
    );
    await kill();
    const { body } = await client.refresh('made-up', credentials);
    expect(body.error).toBe('invalid_grant'); // the credentials are good, the token is not
  });

  test('a code, which is then good once', async () => {
    const code = await client.code();
    await kill();
    expect((await client.exchange(code)).answer.status).toBe(200);
    expect((await client.exchange(code)).body.error).toBe('invalid_grant');
  });

  test('an access token and a refresh token of a code exchange', async () => {
    const tokens = await client.connect('webhooks');
    await kill();
    expect((await client.api('GET', '/v1/webhooks', tokens.access_token)).status).toBe(200);
    expect((await client.refresh(tokens.refresh_token)).body).toMatchObject({ scope: 'webhooks' });
  });

  test('a renewal: the old refresh token stays used up, and a second use revokes the family', async () => {
    const first = await client.connect('webhooks');
    const { body: second } = await client.refresh(first.refresh_token);
    await kill();
    expect((await client.refresh(first.refresh_token)).body.error).toBe('invalid_grant');
    expect((await client.refresh(second.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('a webhook: its id, its address, its events', async () => {
    const { access_token: token } = await client.connect('webhooks');
    const id = await client.register(token, { url: receiver.url, events: ['task.created'] });
    await kill();
    const answer = await client.api('GET', '/v1/webhooks', token);
    expect(await answer.json()).toEqual({
      data: [{ webhook_id: id, url: receiver.url, events: ['task.created'], active: true }],
    });
  });

  test('a webhook that was switched off or deleted', async () => {
    const { access_token: token } = await client.connect('webhooks');
    const off = await client.register(token, { url: receiver.url });
    const gone = await client.register(token, { url: receiver.url });
    await client.api('PATCH', `/v1/webhooks/${off}`, token, { active: false });
    await client.api('DELETE', `/v1/webhooks/${gone}`, token);
    await kill();
    const answer = await client.api('GET', '/v1/webhooks', token);
    expect(await answer.json()).toMatchObject({ data: [{ webhook_id: off, active: false }] });
  });

  test('a question that the consent page asks', async () => {
    await stop(sandbox);
    sandbox = await start({ consent: 'ask' });
    client.moveTo(sandbox);
    const page = await (await fetch(client.authorizeUrl())).text();
    const question = /name="consent" value="([^"]+)"/.exec(page)?.[1] ?? '';
    await kill();
    const answer = await fetch(`${sandbox.baseUrl}/oauth/authorize`, {
      method: 'POST',
      body: new URLSearchParams({ consent: question, decision: 'allow' }),
      redirect: 'manual',
    });
    const target = new URL(answer.headers.get('location') ?? '');
    expect((await client.exchange(target.searchParams.get('code') ?? '')).answer.status).toBe(200);
  });
});

test('a refused renewal that revoked a family is revoked after a restart, too', async () => {
  const first = await client.connect('webhooks');
  const { body: second } = await client.refresh(first.refresh_token);
  await client.refresh(first.refresh_token);
  await restart();
  expect((await client.refresh(second.refresh_token)).body.error).toBe('invalid_grant');
});

test('deals, contacts and tasks are there after a restart, and no id is given a second time', async () => {
  for (const event of ['deal.created', 'contact.created', 'task.created'] as const) sandbox.emit(event);
  const kinds = ['/deals', '/contacts', '/tasks'];
  const before = await Promise.all(kinds.map((kind) => panel(kind, records)));
  await sandbox.saved();
  const { id: lost } = sandbox.emit('deal.created').data; // not on disk when the process is killed
  await kill();
  const after = await Promise.all(kinds.map((kind) => panel(kind, records)));
  expect(ids(after)).toEqual(ids(before));
  const { id } = sandbox.emit('deal.created').data;
  expect(Number(id)).toBeGreaterThan(Number(lost));
});

test('a notification after a restart is signed with the secret of before', async () => {
  const { access_token: token } = await client.connect('webhooks');
  await client.register(token, { url: receiver.url, secret: 'of-before' });
  await restart();
  sandbox.emit('deal.created');
  await receiver.untilReceived(1);
  expect(receiver.signedWith('of-before')).toBe(true);
});

describe('a notification on its way', () => {
  let webhook: string;

  beforeEach(async () => {
    const { access_token: token } = await client.connect('webhooks');
    webhook = await client.register(token, { url: receiver.url });
    receiver.answerWith(500);
    sandbox.emit('deal.created');
    await untilLatest(webhook, 'retrying', 1);
  });

  test.each([
    ['a restart', restart],
    ['a SIGKILL', async () => sandbox.saved().then(() => kill())],
  ])(
    'keeps the delays of the document, 6.3, over %s: 5 s after the first attempt, 25 s after the second',
    async (_, again) => {
      clock.move(2_000);
      await again();
      await until(
        'the retry to be awaited',
        async () => (await deliveriesOf(webhook))[0]?.state === 'retrying',
      );
      clock.move(2_999);
      expect(receiver.received).toHaveLength(1);
      clock.move(1);
      await untilLatest(webhook, 'retrying', 2);
      await again();
      await until(
        'the retry to be awaited',
        async () => (await deliveriesOf(webhook))[0]?.state === 'retrying',
      );
      clock.move(25_000);
      await untilLatest(webhook, 'failed', 3);
      const [delivery] = await deliveriesOf(webhook);
      const times = delivery?.attempts.map(({ at }) => Date.parse(at)) ?? [];
      expect(times.map((time) => time - (times[0] ?? 0))).toEqual([0, 5_000, 30_000]);
      const bodies = receiver.received.map(({ body }) => body.toString());
      expect(new Set(bodies).size).toBe(1);
    },
  );

  test('is sent at once when its retry came due while the sandbox was down', async () => {
    await stop(sandbox);
    clock.move(60_000);
    receiver.answerWith(200);
    sandbox = await start();
    await untilLatest(webhook, 'delivered', 2);
  });

  test('is sent again where a close cut its attempt off', async () => {
    receiver.answerWith(() => undefined);
    clock.move(5_000);
    await receiver.untilReceived(2);
    await stop(sandbox);
    receiver.answerWith(200);
    sandbox = await start();
    await untilLatest(webhook, 'delivered', 2);
    expect(receiver.received).toHaveLength(3);
  });

  test('does not go on after a restart when its webhook was switched off before', async () => {
    const { access_token: token } = await client.connect('webhooks');
    await client.api('PATCH', `/v1/webhooks/${webhook}`, token, { active: false });
    await client.api('PATCH', `/v1/webhooks/${webhook}`, token, { active: true });
    await restart();
    clock.move(60_000);
    expect((await deliveriesOf(webhook))[0]).toMatchObject({ state: 'cancelled', nextAttemptAt: null });
    expect(receiver.received).toHaveLength(1);
  });

  test('stays in the delivery log with its attempts', async () => {
    const before = await deliveriesOf(webhook);
    await restart();
    expect(await deliveriesOf(webhook)).toEqual(before);
  });
});

describe('the file', () => {
  test('holds no Client Secret, code or token, and is for its owner only', async () => {
    const code = await client.code();
    const tokens = (await client.exchange(code)).body;
    const text = readFileSync(file(), 'utf8');
    const secrets = [code, tokens.access_token, tokens.refresh_token, client.credentials.client_secret];
    for (const secret of secrets) expect(text).not.toContain(secret);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  test('is written once for all that happens within 100 ms', async () => {
    await client.code();
    const before = inode();
    for (let i = 0; i < 50; i++) sandbox.emit('deal.created');
    expect(clock.alarmsSet).toBe(1); // that of the one write
    clock.move(99);
    expect([inode(), clock.alarmsSet]).toEqual([before, 1]);
    clock.move(1);
    await until('the write', () => inode() !== before);
    const after = inode();
    clock.move(10_000);
    await panel('/deals', records);
    expect(inode()).toBe(after);
  });

  test.each([
    ['cut short', (text: string) => text.slice(0, text.length / 2), 'is damaged'],
    ['empty', () => '', 'is damaged'],
    ['of another program', () => '{"name":"other"}', 'is damaged'],
    ['with a store that is no such', () => '{"format":2,"stores":{"webhooks":{}}}', 'is damaged'],
    ['of another version', () => '{"format":3,"stores":{}}', 'was written by another version (format 3'],
  ])('that is %s stops the start with a sentence, and stays as it is', async (_, damage, message) => {
    await client.code();
    await stop(sandbox);
    const damaged = damage(readFileSync(file(), 'utf8'));
    writeFileSync(file(), damaged);
    await expect(start()).rejects.toThrow(`${file()} ${message}`);
    await expect(start()).rejects.toMatchObject({ name: 'StateError' }); // and the folder was left free
    expect(readFileSync(file(), 'utf8')).toBe(damaged);
  });

  test('is whole whatever a kill left of the next one', async () => {
    const { access_token: token } = await client.connect('webhooks');
    await stop(sandbox);
    writeFileSync(`${file()}.new`, '{"format":2,"sto');
    sandbox = await start();
    client.moveTo(sandbox);
    expect((await client.api('GET', '/v1/webhooks', token)).status).toBe(200);
  });
});

test('two sandboxes on one folder: the second is refused, until the first has ended', async () => {
  await expect(start()).rejects.toThrow(`Another sandbox is using ${folder}.`);
  await stop(sandbox);
  sandbox = await start();
  expect((await fetch(`${sandbox.baseUrl}/panel/applications`)).status).toBe(200);
});

test('a folder that cannot be made stops the start with a sentence', async () => {
  const inTheWay = join(newFolder(), 'file');
  writeFileSync(inTheWay, '');
  await expect(start({ data: join(inTheWay, 'below') })).rejects.toThrow('is not writable (ENOTDIR)');
});

test('where the state cannot be written, the answer says so in place of a promise', async () => {
  mkdirSync(`${file()}.new`); // in the way of the next write
  const answer = await fetch(client.authorizeUrl(), { redirect: 'manual' });
  expect([answer.status, answer.headers.get('location')]).toEqual([500, null]);
  expect(await answer.json()).toMatchObject({ code: 'internal_error' });
  rmSync(`${file()}.new`, { recursive: true });
});
