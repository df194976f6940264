import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { until } from '../support/until';

/** `sandbox --data` in a separate process. */
let folder: string;
let started: Command[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'copilot-sandbox-'));
  started = [];
});
afterEach(async () => {
  for (const command of started) await command.kill();
  rmSync(folder, { recursive: true });
});

const MAIN = resolve(__dirname, '../../dist/main.js');

/** One run of the command, with its output. */
class Command {
  errors = '';
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown[]>;

  constructor() {
    const flags = ['--port', '0', '--rate', '0', '--consent', 'grant', '--data', folder];
    this.child = spawn(process.execPath, [MAIN, 'sandbox', ...flags]);
    this.child.stdout?.resume();
    this.child.stderr?.on('data', (text: Buffer) => (this.errors += text.toString()));
    this.ended = once(this.child, 'exit');
    started.push(this);
  }

  /** A setting for `serve` that it printed. */
  setting(name: string): string {
    return new RegExp(`COPILOT_${name}=(.*)`).exec(this.errors)?.[1] ?? '';
  }

  async ready(): Promise<this> {
    await until(`the sandbox to listen: ${this.errors}`, () => this.setting('CLIENT_SECRET') !== '');
    return this;
  }

  async exitCode(): Promise<unknown> {
    return (await this.ended)[0];
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }
}

async function tokenError(command: Command, clientId: string, clientSecret: string): Promise<unknown> {
  const form = {
    client_id: clientId,
    client_secret: clientSecret,
    grant_type: 'refresh_token',
    refresh_token: 'a',
  };
  const response = await fetch(`${command.setting('BASE_URL')}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams(form),
  });
  return ((await response.json()) as { error: unknown }).error;
}

test('after a SIGKILL the application still exists, and its secret is not shown again', async () => {
  const first = await new Command().ready();
  const [id, secret] = [first.setting('CLIENT_ID'), first.setting('CLIENT_SECRET')];
  await first.kill();
  const second = await new Command().ready();
  expect(second.setting('CLIENT_ID')).toBe(id);
  expect(second.errors).not.toContain(secret);
  expect(await tokenError(second, id, secret)).toBe('invalid_grant'); // the credentials are good
});

test('a second sandbox on the same folder exits with 78 and the reason', async () => {
  await new Command().ready();
  const second = new Command();
  expect(await second.exitCode()).toBe(78);
  expect(second.errors).toContain(`--data: Another sandbox is using ${folder}.`);
  expect(second.errors).toContain('use another folder');
});

test('a damaged file makes it exit with 78 and a remedy', async () => {
  writeFileSync(join(folder, 'sandbox.json'), '{"format":1,');
  const command = new Command();
  expect(await command.exitCode()).toBe(78);
  expect(command.errors).toContain(`${join(folder, 'sandbox.json')} is damaged.`);
  expect(command.errors).toContain('move it away to start over');
});
