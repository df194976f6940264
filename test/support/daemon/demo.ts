import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TargetCreated } from '../../../src/contract/target';
import { sqliteDriver } from '../../../src/relay/database/sqlite-driver';
import { guardOver } from './guard-over';
import { until } from '../until';

const MAIN = resolve(__dirname, '../../../dist/main.js');
const STARTS_WITHIN_MS = 60_000;
const LOGIN_LINK = /http:\/\/\S+\/login\?token=\S+/g;

/** The built demo (`node dist/main.js demo`) as a process of its own, as a newcomer has it; its data in a folder of its own. */
export class Demo {
  private readonly dataDir = mkdtempSync(join(tmpdir(), 'switchboard-demo-'));
  private child: ChildProcess | null = null;
  private guard: ChildProcess | null = null;
  private written = '';

  private constructor(private readonly rate: number) {}

  /** Starts it, and waits until its parts are connected to each other. @param rate events a second */
  static async start({ rate }: { rate: number }): Promise<Demo> {
    const demo = new Demo(rate);
    try {
      await demo.restart();
      return demo;
    } catch (error) {
      await demo.close();
      throw error;
    }
  }

  /** The link that the last start printed; good for one login. */
  get loginLink(): string {
    return this.written.match(LOGIN_LINK)!.at(-1)!;
  }

  get url(): string {
    return new URL(this.loginLink).origin;
  }

  /** A call of the hub's REST API with the operator's token; the parsed answer. @throws when it is refused */
  async ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const token = readFileSync(join(this.dataDir, 'demo/admin.token'), 'utf8').trim();
    return send<T>(method, `${this.url}/api/v1${path}`, body, { authorization: `Bearer ${token}` });
  }

  /** A call of the sandbox's developer panel. */
  panel<T>(method: string, path: string, body?: unknown): Promise<T> {
    const places = readFileSync(join(this.dataDir, 'demo/demo.json'), 'utf8');
    const { sandboxPort } = JSON.parse(places) as { sandboxPort: number };
    return send<T>(method, `http://127.0.0.1:${sandboxPort}/panel${path}`, body);
  }

  addTarget(name: string, url: string, more: object = {}): Promise<TargetCreated> {
    return this.ask('POST', '/targets', { name, url, ...more });
  }

  /** Runs SQL on the hub's database file, which only a stopped demo allows. */
  alterDatabase(sql: string): void {
    const connection = new sqliteDriver(join(this.dataDir, 'demo/switchboard.db'));
    try {
      connection.exec(sql);
    } finally {
      connection.close();
    }
  }

  async stop(): Promise<void> {
    if (this.child === null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
    this.guard?.kill('SIGKILL');
    this.child = null;
  }

  /** Starts it on the same data, and waits until its parts are connected to each other. */
  async restart(): Promise<void> {
    this.written = '';
    const flags = ['demo', '--port', '0', '--data-dir', this.dataDir, '--rate', String(this.rate)];
    const child = spawn(process.execPath, [MAIN, ...flags], {
      cwd: this.dataDir,
      env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (this.written += text));
    this.child = child;
    this.guard = guardOver(child.pid!);
    await until(
      'the demo prints its login link',
      () => {
        if (child.exitCode !== null)
          throw new Error(`The demo ended with ${child.exitCode}:\n${this.written}`);
        return this.written.search(LOGIN_LINK) >= 0;
      },
      STARTS_WITHIN_MS,
    );
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function send<T>(method: string, url: string, json: unknown, headers: Record<string, string> = {}) {
  const body =
    json === undefined
      ? { headers }
      : { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(json) };
  const answer = await fetch(url, { method, ...body });
  const text = await answer.text();
  if (!answer.ok)
    throw new Error(`${method} ${new URL(url).pathname} was answered ${answer.status}: ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}
