import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInProcess } from '../../support/daemon/run-in-process';
import { makeCertificate } from '../../support/fakes/certificates';
import { ConnectProxy } from '../../support/fakes/connect-proxy';
import { RecordingTarget } from '../../support/fakes/recording-target';

const folder = mkdtempSync(join(tmpdir(), 'switchboard-login-'));
const caFile = join(folder, 'ca.pem');
const session = {
  via: 'api_token',
  name: 'laptop',
  scopes: ['read'],
  expires_at: null,
  masked: [],
  sandbox: false,
};
const authority = makeCertificate({ name: 'authority', authority: true });

let hub: RecordingTarget;
let proxy: ConnectProxy;
beforeAll(async () => {
  writeFileSync(caFile, authority.cert);
  const issued = makeCertificate({
    name: 'hub',
    issuer: { ...authority, name: 'authority' },
    hosts: { dns: ['hub.example'], ip: ['127.0.0.1'] },
  });
  hub = await RecordingTarget.start((response, { path }) => {
    const answer = path === '/api/v1/session' ? session : { count: 7, estimated: false };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }, issued);
  proxy = await ConnectProxy.start();
  proxy.leadsTo = hub.port;
});
afterAll(async () => {
  await hub.close();
  await proxy.close();
  rmSync(folder, { recursive: true });
});

const run = (environment: Record<string, string>, ...args: string[]) =>
  runInProcess(args, { PATH: process.env['PATH'] ?? '', XDG_CONFIG_HOME: folder, ...environment });
const logIn = (environment: Record<string, string>, url: string, ...more: string[]) =>
  run(
    environment,
    'login',
    '--hub',
    url,
    '--token-command',
    'echo switchboard_secret',
    '--timeout',
    '5',
    ...more,
  );

it('login checks the token at the hub, and stores hub and token privately', async () => {
  const url = new URL(hub.url).origin;
  const untrusted = await logIn({}, url);
  expect(untrusted).toMatchObject({
    code: 69,
    err: expect.stringMatching(/UNABLE_TO_VERIFY_LEAF_SIGNATURE.*--ca-file/),
  });
  expect(hub.hits).toEqual([]);
  const { code, out } = await logIn({}, url, '--ca-file', caFile, '--name', 'here');
  const sentence = `Logged in to ${url} with the token "laptop": read; it does not expire. Profile: here.\n`;
  expect({ code, out }).toEqual({ code: 0, out: sentence });
  const file = join(folder, 'switchboard/profiles.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ profiles: { here: { token: null } } });
  expect(await run({}, 'events', 'list', '--count')).toEqual({ code: 0, out: '7\n', err: '' });
  expect(hub.hits.at(-1)!.headers.authorization).toBe('Bearer switchboard_secret');
});

it('login judges the address before it asks for the token', async () => {
  const { code, err } = await run({}, 'login', '--hub', 'http://hub.example');
  expect({ code, err }).toEqual({ code: 78, err: expect.stringMatching(/without https/) });
});

it('requests go through the proxy of the environment, except to hosts that it excludes', async () => {
  const environment = { HTTPS_PROXY: proxy.url(), NO_PROXY: '127.0.0.1' };
  expect(await logIn(environment, 'https://hub.example', '--ca-file', caFile)).toMatchObject({ code: 0 });
  expect(proxy.authorities).toEqual(['hub.example:443']);
  expect(await run(environment, 'events', 'list', '--count', '--profile', 'here')).toMatchObject({ code: 0 });
  expect(proxy.authorities.length).toBe(1);
});

it('profiles are listed without tokens, and removed by logout', async () => {
  const { out } = await run({}, 'profiles', '--json');
  expect(
    out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object),
  ).toEqual([
    expect.objectContaining({ name: 'here', current: false }),
    expect.objectContaining({ name: 'hub.example', current: true, token_command: 'echo switchboard_secret' }),
  ]);
  expect(await run({}, 'profiles', 'use', 'here')).toMatchObject({ code: 0 });
  expect(await run({}, 'logout')).toMatchObject({ code: 0 });
  expect(await run({}, 'logout')).toMatchObject({
    code: 78,
    err: expect.stringContaining('No profile is in use'),
  });
  expect((await run({}, 'profiles')).out).toMatch(
    /^ +name +hub +token\n +hub\.example +https:\/\/hub\.example +echo/,
  );
});
