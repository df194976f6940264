import { join } from 'node:path';
import { statSync, readFileSync, writeFileSync, mkdirSync, rmSync } from 'node:fs';
import { z } from 'zod';
import { parseResponse } from './parse-response';
import { StateFile } from '../../src/sandbox/state/state-file';
import { until } from '../support/until';
import {
  client,
  clock,
  folder,
  kill,
  newFolder,
  panel,
  receiver,
  restart,
  sandbox,
  start,
  startAgain,
  stop,
  useSavedSandbox,
} from './saved-sandbox';

useSavedSandbox();

const file = (): string => join(folder, 'sandbox.json');
const inode = (): number => statSync(file()).ino;

const records = z.object({ data: z.array(z.looseObject({ id: z.number() })) });
const ids = (lists: z.infer<typeof records>[]) => lists.map(({ data }) => data.map(({ id }) => id));

describe('what an HTTP response confirmed survives an immediate SIGKILL', () => {
  test('an application created in the panel, with its Client Secret', async () => {
    const response = await fetch(`${sandbox.baseUrl}/panel/applications`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Relay', redirect_uris: ['https://relay.example/back'] }),
    });
    const credentials = await parseResponse(
      response,
      z.object({ client_id: z.string(), client_secret: z.string() }),
    );
    await kill();
    const { body } = await client.refresh('made-up', credentials);
    expect(body.error).toBe('invalid_grant'); // the credentials are good, the token is not
  });

  test('a code, which can then be used once', async () => {
    const code = await client.code();
    await kill();
    expect((await client.exchange(code)).response.status).toBe(200);
    expect((await client.exchange(code)).body.error).toBe('invalid_grant');
  });

  test('an access token and a refresh token of a code exchange', async () => {
    const tokens = await client.connect('webhooks');
    await kill();
    expect((await client.api('GET', '/v1/webhooks', tokens.access_token)).status).toBe(200);
    expect((await client.refresh(tokens.refresh_token)).body).toMatchObject({ scope: 'webhooks' });
  });

  test('a renewal: the old refresh token stays used up, and reuse revokes the grant', async () => {
    const first = await client.connect('webhooks');
    const { body: second } = await client.refresh(first.refresh_token);
    await kill();
    expect((await client.refresh(first.refresh_token)).body.error).toBe('invalid_grant');
    expect((await client.refresh(second.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('a webhook: its id, URL and events', async () => {
    const { access_token: token } = await client.connect('webhooks');
    const id = await client.register(token, { url: receiver.url, events: ['task.created'] });
    await kill();
    const response = await client.api('GET', '/v1/webhooks', token);
    expect(await response.json()).toEqual({
      data: [{ webhook_id: id, url: receiver.url, events: ['task.created'], active: true }],
    });
  });

  test('a webhook that was disabled or deleted', async () => {
    const { access_token: token } = await client.connect('webhooks');
    const off = await client.register(token, { url: receiver.url });
    const gone = await client.register(token, { url: receiver.url });
    await client.api('PATCH', `/v1/webhooks/${off}`, token, { active: false });
    await client.api('DELETE', `/v1/webhooks/${gone}`, token);
    await kill();
    const response = await client.api('GET', '/v1/webhooks', token);
    expect(await response.json()).toMatchObject({ data: [{ webhook_id: off, active: false }] });
  });

  test('a pending consent request', async () => {
    await stop(sandbox);
    await startAgain({ consent: 'ask' });
    client.moveTo(sandbox);
    const page = await (await fetch(client.authorizeUrl())).text();
    const question = /name="consent" value="([^"]+)"/.exec(page)?.[1] ?? '';
    await kill();
    const response = await fetch(`${sandbox.baseUrl}/oauth/authorize`, {
      method: 'POST',
      body: new URLSearchParams({ consent: question, decision: 'allow' }),
      redirect: 'manual',
    });
    const target = new URL(response.headers.get('location') ?? '');
    expect((await client.exchange(target.searchParams.get('code') ?? '')).response.status).toBe(200);
  });
});

test('a grant revoked by token reuse stays revoked after a restart', async () => {
  const first = await client.connect('webhooks');
  const { body: second } = await client.refresh(first.refresh_token);
  await client.refresh(first.refresh_token);
  await restart();
  expect((await client.refresh(second.refresh_token)).body.error).toBe('invalid_grant');
});

test('deals, contacts and tasks survive a restart, and ids are not reused', async () => {
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

test('a notification after a restart is signed with the same secret', async () => {
  const { access_token: token } = await client.connect('webhooks');
  await client.register(token, { url: receiver.url, secret: 'of-before' });
  await restart();
  sandbox.emit('deal.created');
  await receiver.untilReceived(1);
  expect(receiver.signedWith('of-before')).toBe(true);
});

describe('the file', () => {
  test('has the state at the time of the save, whatever changes while it is written', async () => {
    const saved = StateFile.open(newFolder());
    const grant = { revoked: false };
    const written = saved.write({ grant });
    grant.revoked = true;
    await written;
    expect(saved.read()).toEqual({ grant: { revoked: false } });
    saved.close();
  });

  test('contains no Client Secret, code or token, and has mode 600', async () => {
    const code = await client.code();
    const tokens = (await client.exchange(code)).body;
    const text = readFileSync(file(), 'utf8');
    const secrets = [code, tokens.access_token, tokens.refresh_token, client.credentials.client_secret];
    for (const secret of secrets) expect(text).not.toContain(secret);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  test('is written once for all changes within 100 ms', async () => {
    await client.code();
    const before = inode();
    for (let i = 0; i < 50; i++) sandbox.emit('deal.created');
    expect(clock.pendingTimers).toBe(1); // that of the one write
    clock.move(99);
    expect([inode(), clock.pendingTimers]).toEqual([before, 1]);
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
    ['with an invalid store', () => '{"format":2,"stores":{"webhooks":{}}}', 'is damaged'],
    ['of another version', () => '{"format":3,"stores":{}}', 'was written by another version (format 3'],
  ])('that is %s prevents the start with a clear message and stays unchanged', async (_, damage, message) => {
    await client.code();
    await stop(sandbox);
    const damaged = damage(readFileSync(file(), 'utf8'));
    writeFileSync(file(), damaged);
    await expect(start()).rejects.toThrow(`${file()} ${message}`);
    await expect(start()).rejects.toMatchObject({ name: 'StateError' }); // and the folder was left free
    expect(readFileSync(file(), 'utf8')).toBe(damaged);
  });

  test('is intact if a kill left a partial new file', async () => {
    const { access_token: token } = await client.connect('webhooks');
    await stop(sandbox);
    writeFileSync(`${file()}.new`, '{"format":2,"sto');
    await startAgain();
    client.moveTo(sandbox);
    expect((await client.api('GET', '/v1/webhooks', token)).status).toBe(200);
  });
});

test('a second sandbox on the same folder is rejected until the first has stopped', async () => {
  await expect(start()).rejects.toThrow(`Another sandbox is using ${folder}.`);
  await stop(sandbox);
  await startAgain();
  expect((await fetch(`${sandbox.baseUrl}/panel/applications`)).status).toBe(200);
});

test('a folder that cannot be created prevents the start with a clear message', async () => {
  const existingFile = join(newFolder(), 'file');
  writeFileSync(existingFile, '');
  await expect(start({ data: join(existingFile, 'below') })).rejects.toThrow('is not writable (ENOTDIR)');
});

test('if the state cannot be written, the response is an error', async () => {
  mkdirSync(`${file()}.new`); // in the way of the next write
  const response = await fetch(client.authorizeUrl(), { redirect: 'manual' });
  expect([response.status, response.headers.get('location')]).toEqual([500, null]);
  expect(await response.json()).toMatchObject({ code: 'internal_error' });
  rmSync(`${file()}.new`, { recursive: true });
});
