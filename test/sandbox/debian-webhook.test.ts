import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { z } from 'zod';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox';
import { Client } from './client';
import { readAnswer } from './read-answer';
import { type Receiver, startReceiver } from './receiver';
import { turn } from './turn-switches';
import { until } from './until';

/**
 * Signatures as programs see them that are not ours (document, 5.6). openssl judges everywhere, in every shape. Debian's
 * `webhook` receives and judges by a rule of its own; it is asked where it is installed, and its tests are not registered
 * where it is not.
 */
const SECRET = 'a secret, with 32 letters or so';

let sandbox: Sandbox;
let client: Client;
let token: string;

beforeEach(async () => {
  sandbox = await startSandbox({ consent: 'grant' });
  client = new Client(sandbox);
  token = (await client.connect('webhooks')).access_token;
});
afterEach(() => sandbox.close());

describe('openssl', () => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());

  test.each([
    ['bare', (digits: string) => digits],
    ['sha256', (digits: string) => `sha256=${digits}`],
    ['t_v1', (digits: string, seconds: string) => `t=${seconds},v1=${digits}`],
  ])('computes the signature of the bytes received, in the shape %s', async (shape, shaped) => {
    await turn(sandbox, 'readings', { signature_shape: shape });
    await client.register(token, { url: receiver.url, secret: SECRET });
    sandbox.emit('deal.created', { name: 'Ünïcode ✓' });
    await receiver.untilReceived(1);
    const [request] = receiver.received;
    const printed = execFileSync('openssl', ['dgst', '-sha256', '-hmac', SECRET], { input: request?.body });
    const digits = /[0-9a-f]{64}$/.exec(printed.toString().trim())?.[0] ?? 'nothing printed';
    const signature = String(request?.headers['x-copilot-signature']);
    expect(signature).toBe(shaped(digits, /t=(\d+)/.exec(signature)?.[1] ?? ''));
  });
});

const program = process.env['PATH']
  ?.split(delimiter)
  .map((folder) => join(folder, 'webhook'))
  .find(isProgram);

if (program) {
  describe("Debian's webhook", () => {
    test.each([
      ['takes', 'bare', SECRET, 'delivered'],
      ['takes', 'sha256', SECRET, 'delivered'],
      ['refuses', 'bare', 'another secret', 'waiting'],
    ])('%s a notification in the shape %s where it knows %p', async (_, shape, secret, state) => {
      await turn(sandbox, 'readings', { signature_shape: shape });
      const judge = await startWebhook(program, secret);
      try {
        const id = await client.register(token, { url: judge.url, secret: SECRET });
        sandbox.emit('deal.created');
        await until('its answer', async () => (await latestDelivery(id)).attempts.length === 1);
        expect((await latestDelivery(id)).state).toBe(state);
      } finally {
        await judge.stop();
      }
    });
  });
}

const deliveries = z.object({
  data: z.tuple([
    z.object({ state: z.string(), attempts: z.array(z.object({ outcome: z.looseObject({}) })) }),
  ]),
});

async function latestDelivery(id: string): Promise<z.infer<typeof deliveries>['data'][0]> {
  const answer = await fetch(`${sandbox.baseUrl}/panel/webhooks/${id}/deliveries`);
  return (await readAnswer(answer, deliveries)).data[0];
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The program, listening, with one hook that takes what the secret has signed and refuses anything else. */
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
  await until('the program', () =>
    fetch(url).then(
      async (answer) => Boolean(await answer.text()),
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return address && typeof address === 'object' ? address.port : 0;
}
