import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Daemon } from '../../support/daemon/daemon';
import { runInProcess } from '../../support/daemon/run-in-process';
import { FakeCopilot } from '../../support/fakes/copilot';

let upstream: FakeCopilot;
let daemon: Daemon;
beforeAll(async () => {
  upstream = await FakeCopilot.start();
  daemon = await Daemon.start({ upstream });
});
afterAll(async () => {
  await daemon.close();
  await upstream.close();
});

async function run(command: string, environment: Record<string, string> = {}) {
  const { code, err } = await runInProcess([command, '--data-dir', daemon.dataDir], environment);
  return { code, err };
}

it('the address file is readable only by its owner, and commands find the daemon by it', async () => {
  expect(statSync(join(daemon.dataDir, 'address')).mode & 0o777).toBe(0o600);
  expect(await run('status')).toEqual({ code: 0, err: '' });
});

it('commands read the admin token from a file as the daemon does, also in UTF-16', async () => {
  const token = readFileSync(join(daemon.dataDir, 'admin.token'), 'utf8');
  const file = join(daemon.dataDir, 'token.txt');
  writeFileSync(file, `\ufeff${token}`, 'utf16le');
  expect(await run('status', { SWITCHBOARD_ADMIN_TOKEN_FILE: file })).toEqual({ code: 0, err: '' });
});

describe('after a daemon was killed', () => {
  let respond: (request: IncomingMessage, response: ServerResponse) => void;
  const received: IncomingMessage[] = [];
  const stranger = createServer((request, response) => {
    received.push(request);
    respond(request, response);
  });
  beforeAll(async () => {
    const { port } = new URL(daemon.url);
    await daemon.kill();
    stranger.listen(Number(port), '127.0.0.1');
    await once(stranger, 'listening');
  });
  afterAll(() => {
    stranger.closeAllConnections();
    stranger.close();
  });

  it.each<[string, string]>([
    ['a wrong proof', JSON.stringify({ proof: 'a'.repeat(64) })],
    ['another object', '{}'],
    ['a list', '[]'],
    ['null', 'null'],
    ['no JSON', '<html>'],
  ])('another process that listens at its address and responds with %s gets no token', async (_, body) => {
    respond = (_request, response) => void response.end(body);
    for (const command of ['status', 'login-link']) {
      const { code, err } = await run(command);
      expect({ code, err }).toEqual({
        code: 69,
        err: expect.stringMatching(
          /^(No daemon is running on|The process at \S+ is not a Switchboard daemon)[^\n]*\n$/,
        ),
      });
    }
    expect(received.length).toBeGreaterThan(0);
    for (const { headers, url } of received.splice(0)) {
      expect(headers.authorization).toBeUndefined();
      expect(url).toMatch(/^\/api\/v1\/proof\?nonce=[0-9a-f]{64}$/);
    }
  });

  it('a redirect is not followed, and a missing response times out soon', async () => {
    respond = (_request, response) => void response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end();
    expect(await run('status')).toEqual({ code: 69, err: expect.stringContaining('does not respond') });
    respond = () => undefined;
    const startedAt = performance.now();
    expect(await run('status')).toEqual({ code: 69, err: expect.stringContaining('does not respond') });
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });
});
