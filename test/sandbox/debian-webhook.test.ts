import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { z } from 'zod';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/start-sandbox';

import { Client } from './client';
import { TimerClock } from '../support/timer-clock';
import { parseResponse } from './parse-response';
import { type Receiver, startReceiver } from './receiver';
import { patchSandbox } from './patch-sandbox';
import { freePort } from '../support/free-port';
import { until } from '../support/until';

/**
 * Checks signatures with other programs (document, 5.6): with results of openssl in the fixtures and, where they are
 * installed, with openssl itself and Debian's `webhook`, a receiver that verifies signatures.
 */
const SECRET = 'a secret, with 32 letters or so';

const SHAPES = [
  ['bare', (digits: string) => digits],
  ['sha256', (digits: string) => `sha256=${digits}`],
  ['t_v1', (digits: string, seconds: string) => `t=${seconds},v1=${digits}`],
] as const;

let sandbox: Sandbox;
let client: Client;
let token: string;
let receiver: Receiver;

async function start(options: SandboxOptions = {}): Promise<void> {
  sandbox = await startSandbox({ consent: 'grant', ...options });
  client = new Client(sandbox);
  token = (await client.connect('webhooks')).access_token;
}
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  await sandbox.close();
  await receiver.close();
});

/** The only received notification, with its signature header. */
async function received(): Promise<{ body: Buffer; signature: string }> {
  await receiver.untilReceived(1);
  const [request] = receiver.received;
  return {
    body: request?.body ?? Buffer.alloc(0),
    signature: String(request?.headers['x-copilot-signature']),
  };
}

const fixture = (name: string): string =>
  readFileSync(join(__dirname, '../fixtures/signatures', name), 'utf8').trim();

test.each(SHAPES)(
  'format %s contains what openssl computed for the recorded bytes',
  async (shape, shaped) => {
    const clock = new TimerClock(Date.parse('2026-03-02T09:30:00.000Z'));
    await start({ clock, random: (size) => Buffer.alloc(size, 7), quirks: { signature_format: shape } });
    const events = ['agent.triggered'];
    await client.register(token, { url: receiver.url, events, secret: fixture('notification.secret') });
    sandbox.emit('agent.triggered', { id: 9, agent_id: 81, name: 'Überblick ✓', deal_id: 42 });
    const { body, signature } = await received();
    expect(body.toString()).toBe(fixture('notification.body'));
    expect(signature).toBe(shaped(fixture('notification.hex'), '1772443800'));
  },
);

const openssl = find('openssl');
if (openssl) {
  test.each(SHAPES)(
    'openssl computes the same signature for the received bytes, in format %s',
    async (shape, shaped) => {
      await start();
      await patchSandbox(sandbox, 'quirks', { signature_format: shape });
      await client.register(token, { url: receiver.url, secret: SECRET });
      sandbox.emit('deal.created', { name: 'Ünïcode ✓' });
      const { body, signature } = await received();
      const printed = execFileSync(openssl, ['dgst', '-sha256', '-hmac', SECRET], { input: body });
      const digits = /[0-9a-f]{64}$/.exec(printed.toString().trim())?.[0] ?? 'nothing printed';
      expect(signature).toBe(shaped(digits, /t=(\d+)/.exec(signature)?.[1] ?? ''));
    },
  );
}

const webhook = find('webhook');
if (webhook) {
  test.each([
    ['accepts', 'bare', SECRET, 'delivered'],
    ['accepts', 'sha256', SECRET, 'delivered'],
    ['rejects', 'bare', 'another secret', 'retrying'],
  ])(
    "Debian's webhook %s a notification in format %s with the secret %p",
    async (_, shape, secret, state) => {
      await start();
      await patchSandbox(sandbox, 'quirks', { signature_format: shape });
      const receivingProgram = await startWebhook(webhook, secret);
      try {
        const id = await client.register(token, { url: receivingProgram.url, secret: SECRET });
        sandbox.emit('deal.created');
        await until('the first attempt', async () => (await latestDelivery(id)).attempts.length === 1);
        expect((await latestDelivery(id)).state).toBe(state);
      } finally {
        await receivingProgram.stop();
      }
    },
  );
}

const deliveries = z.object({
  data: z.tuple([
    z.object({ state: z.string(), attempts: z.array(z.object({ outcome: z.looseObject({}) })) }),
  ]),
});

async function latestDelivery(id: string): Promise<z.infer<typeof deliveries>['data'][0]> {
  const response = await fetch(`${sandbox.baseUrl}/panel/webhooks/${id}/deliveries`);
  return (await parseResponse(response, deliveries)).data[0];
}

/** The path of a program, if it is installed. */
function find(name: string): string | undefined {
  const files = process.env['PATH']?.split(delimiter).map((folder) => join(folder, name)) ?? [];
  return files.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Starts the program with a hook that accepts only requests signed with the secret. */
async function startWebhook(
  file: string,
  secret: string,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'webhook-'));
  const port = await freePort();
  const rule = {
    type: 'payload-hmac-sha256',
    secret,
    parameter: { source: 'header', name: 'X-Copilot-Signature' },
  };
  const hook = {
    id: 'copilot',
    'execute-command': '/bin/true',
    'trigger-rule': { match: rule },
    'trigger-rule-mismatch-http-response-code': 401,
  };
  writeFileSync(join(folder, 'hooks.json'), JSON.stringify([hook]));
  const hooks = ['-hooks', join(folder, 'hooks.json')];
  const running = spawn(file, [...hooks, '-ip', '127.0.0.1', '-port', String(port)], { stdio: 'ignore' });
  const ended = once(running, 'exit');
  const url = `http://127.0.0.1:${port}/hooks/copilot`;
  await until('the program to listen', () =>
    fetch(url).then(
      async (response) => Boolean(await response.text()),
      () => false,
    ),
  );
  return {
    url,
    async stop() {
      running.kill();
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}
