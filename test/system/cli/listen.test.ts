import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { createServer } from 'node:tls';
import { target as targetSchema, type Target } from '../../../src/contract/target';
import { pageOf } from '../../../src/contract/page';
import { assertSigned } from '../../support/assert-signed';
import { Switchboard } from '../../support/daemon/switchboard';
import { runCommand, type CommandResult } from '../../support/daemon/run-command';
import { runInProcess } from '../../support/daemon/run-in-process';
import { ConnectProxy } from '../../support/fakes/connect-proxy';
import { NetworkLink } from '../../support/fakes/network-link';
import { AUTHORITY } from '../../support/fakes/public-proxy';
import { useReceivers } from '../../support/fakes/receivers';
import { freePort } from '../../support/free-port';
import { until } from '../../support/until';
import { makeToken } from '../access/token-fixture';

const MAIN = resolve(__dirname, '../../../dist/main.js');
const GOOD = {
  cert: readFileSync(AUTHORITY.replace('authority', 'good')),
  key: readFileSync(AUTHORITY.replace('authority.pem', 'good.key')),
};
const startReceiver = useReceivers();
let switchboard: Switchboard;
const running: ChildProcess[] = [];

beforeAll(async () => {
  switchboard = await Switchboard.start();
});
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});
afterAll(() => switchboard.end());

const environment = (hub = switchboard.origin, token = switchboard.adminToken) => ({
  SWITCHBOARD_HUB: hub,
  SWITCHBOARD_TOKEN: token,
  XDG_CONFIG_HOME: switchboard.dataDir,
});

/** Runs it to its end. */
const listen = (args: string[], token?: string): Promise<CommandResult> =>
  runCommand(switchboard.dataDir, ['listen', ...args], environment(undefined, token));

/** Starts it, and ends it with the test at the latest. */
function begin(args: string[], hub?: string): { child: ChildProcess; said: () => string } {
  const child = spawn(process.execPath, [MAIN, 'listen', ...args], {
    env: { PATH: process.env['PATH'], ...environment(hub) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  running.push(child);
  let said = '';
  child.stderr.on('data', (part: Buffer) => (said += part.toString()));
  return { child, said: () => said };
}

/** Starts it, and returns once it has said that it is connected. */
async function start(args: string[], hub?: string): Promise<ReturnType<typeof begin>> {
  const begun = begin(args, hub);
  await until('it is connected', () => begun.said().includes('Connected'));
  return begun;
}

const exitOf = (child: ChildProcess) =>
  new Promise<number | null>((done) => {
    if (child.exitCode !== null) done(child.exitCode);
    else child.once('exit', done);
  });

async function find(name: string): Promise<Target> {
  const { data } = await switchboard.read(pageOf(targetSchema), '/targets');
  return data.find((target) => target.name === name)!;
}

it('makes a target, forwards its events, and ends after as many as it was asked for', async () => {
  const receiver = await startReceiver();
  const secretFile = join(switchboard.dataDir, 'secret');
  const args = ['--forward-to', receiver.url, '--name', 'ci', '--events', 'deal.ci', '--keep', '2h'];
  const ending = listen([...args, '--exit-after', '3', '--wait', '60', '--json', '--secret-out', secretFile]);
  await until('it is connected', async () => (await find('ci'))?.listener?.connected === true);
  const ids = [
    await switchboard.emit('deal.ci'),
    await switchboard.emit('deal.ci'),
    await switchboard.emit('deal.ci'),
  ];
  const { code, out } = await ending;
  expect(code).toBe(0);
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { event_id: string; status: number });
  expect(lines.map(({ event_id: id }) => id).sort()).toEqual(ids.sort());
  expect(receiver.hits).toHaveLength(3);
  const secret = readFileSync(secretFile, 'utf8').trim();
  expect(statSync(secretFile).mode & 0o777).toBe(0o600);
  for (const hit of receiver.hits) assertSigned(secret, hit);
  expect(await find('ci')).toMatchObject({
    policy: { max_age_s: 7_200, ordering: 'entity', breaker: null, concurrency: 4 },
    health: { states: ['offline'] },
  });

  // Attached again: what flags do not name stays, and time is up without events.
  const again = await listen([
    '--forward-to',
    receiver.url,
    '--name',
    'ci',
    '--concurrency',
    '2',
    '--exit-after',
    '1',
    '--wait',
    '2',
  ]);
  expect(again.code).toBe(75);
  expect(again.err).toContain('The time is up: 0 of 1 deliveries succeeded.');
  expect(again.err).not.toContain('whsec_');
  expect((await find('ci')).policy).toMatchObject({ max_age_s: 7_200, concurrency: 2 });
});

it('keeps the secret in its file, and makes no target if it could not', async () => {
  const receiver = await startReceiver();
  const file = join(switchboard.dataDir, 'kept-secret');
  const to = (out: string) => ['--forward-to', receiver.url, '--name', 'kept', '--secret-out', out];
  const attach = async (out: string) => {
    const { child, said } = await start(to(out));
    child.kill('SIGINT');
    await exitOf(child);
    return said();
  };
  writeFileSync(file, 'mine', { mode: 0o644 });
  for (const out of [file, join(switchboard.dataDir, 'none', 'secret'), '/dev/null'])
    expect(await listen([...to(out), '--wait', '5'])).toMatchObject({
      code: 78,
      err: expect.stringContaining(`${out} cannot be written`),
    });
  expect([readFileSync(file, 'utf8'), await find('kept')]).toEqual(['mine', undefined]);

  writeFileSync(file, `whsec_${'earlier'.repeat(20)}\n`);
  expect(await attach(file)).not.toContain('whsec_');
  const secret = readFileSync(file, 'utf8');
  expect(secret).toMatch(/^whsec_\S{30,60}\n$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await attach(file);
  expect(readFileSync(file, 'utf8')).toBe(secret);
  await attach(`${file}-of-none`);
  expect(existsSync(`${file}-of-none`)).toBe(false);
});

it('waits no longer than it was asked to for a hub that refuses connections', async () => {
  const receiver = await startReceiver();
  const hub = `http://127.0.0.1:${await freePort()}`;
  const { child, said } = begin(['--forward-to', receiver.url, '--exit-after', '1', '--wait', '0.5'], hub);
  await until('it has ended', () => child.exitCode !== null, 30_000);
  expect(child.exitCode).toBe(75);
  expect(said()).toContain('The time is up: 0 of 1 deliveries succeeded.');
});

it('keeps trying while nothing listens at its address, without using up attempts', async () => {
  const port = await freePort();
  const { said, child } = await start([
    '--forward-to',
    `http://localhost:${port}/`,
    '--name',
    'later',
    '--events',
    'deal.later',
  ]);
  const event = await switchboard.emit('deal.later');
  await until('it waits', () => said().includes('Waiting for'));
  const { id } = await find('later');
  await until('it is offline', async () => (await find('later')).health.states[0] === 'offline');
  for (const command of [['targets', 'list'], ['status']])
    expect((await runInProcess(command, environment())).out).toMatch(
      /later.*its program is connected, but its receiver refuses connections/,
    );
  const server = createHttpServer((_, response) => response.end()).listen(port);
  const { attempts } = await switchboard.deliveryOnce(event, id, ({ state }) => state === 'succeeded');
  expect(attempts).toHaveLength(1);
  child.kill('SIGINT');
  expect(await exitOf(child)).toBe(0);
  server.close();
});

it('a connection that is dead without being closed is noticed on both sides, and replaced', async () => {
  const receiver = await startReceiver();
  const link = await NetworkLink.start(switchboard.origin);
  const args = ['--forward-to', receiver.url, '--name', 'cut', '--events', 'deal.cut'];
  const { said } = await start(args, link.url.replace(/\/$/, ''));
  link.stall();
  const event = await switchboard.emit('deal.cut');
  await until('the hub notices', async () => (await find('cut')).health.states[0] === 'offline');
  await until('the program notices', () => said().includes('Connection lost'));
  link.leadTo(switchboard.origin);
  link.resume();
  const { id } = await find('cut');
  await switchboard.deliveryOnce(event, id, ({ state }) => state === 'succeeded');
  expect(receiver.hits).toHaveLength(1);
  await link.close();
});

it('reaches a hub with TLS through the proxy of the environment', async () => {
  const receiver = await startReceiver();
  const proxy = await ConnectProxy.start();
  const front = createServer(GOOD, (socket) => socket.pipe(connect(switchboard.port)).pipe(socket)).listen(0);
  await once(front, 'listening');
  const { port } = front.address() as AddressInfo;
  proxy.leadsTo = port;
  const args = ['--forward-to', receiver.url, '--name', 'proxied', '--events', 'deal.proxied'];
  const ending = runCommand(switchboard.dataDir, ['listen', ...args, '--exit-after', '1', '--wait', '60'], {
    ...environment(`https://localhost:${port}`),
    HTTPS_PROXY: proxy.url('user:pass@'),
    NODE_EXTRA_CA_CERTS: AUTHORITY,
  });
  await until('it is connected', async () => (await find('proxied'))?.listener?.connected === true);
  await switchboard.emit('deal.proxied');
  expect(await ending).toMatchObject({ code: 0 });
  expect(new Set(proxy.authorities)).toEqual(new Set([`localhost:${port}`]));
  expect(new Set(proxy.authorizations)).toEqual(new Set([`Basic ${btoa('user:pass')}`]));
  expect(proxy.authorities.length).toBeGreaterThan(1);
  front.close();
  await proxy.close();
});

it('ends with what is wrong, and what to do', async () => {
  const receiver = await startReceiver();
  await switchboard.addTarget('an address', 'https://example.com', ['deal.none']);
  const { id, secret } = await makeToken(switchboard, ['receive']);
  const local = ['--forward-to', receiver.url];
  expect(await listen(['--forward-to', 'http://169.254.169.254/'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('--allow-external'),
  });
  expect(await listen([...local, '--name', 'an address'])).toMatchObject({ code: 1 });
  expect(await listen([...local], 'switchboard_wrong')).toMatchObject({ code: 77 });
  await start([...local, '--name', 'one']);
  expect(await listen([...local, '--name', 'one'])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/connected from 127\.0\.0\.1.* since /),
  });
  const ofToken = listen([...local, '--name', 'own'], secret);
  await until('it is connected', async () => (await find('own'))?.listener?.connected === true);
  await switchboard.ask(`/tokens/${id}`, { method: 'DELETE' });
  expect(await ofToken).toMatchObject({ code: 77, err: expect.stringContaining('revoked') });
});
