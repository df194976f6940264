import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { ApiAnswer } from './daemon';
import { guardOver } from './guard-over';
import { until } from './until';

const MAIN = resolve(__dirname, '../../dist/main.js');
const READY_WITHIN_MS = 60_000;

/** The built demo (`node dist/main.js demo`) as a process of its own: sandbox, daemon and sample target, connected. */
export class Demo {
  private readonly guard: ChildProcess;
  private written = '';

  private constructor(
    private readonly folder: string,
    private readonly child: ChildProcess,
  ) {
    this.guard = guardOver(child.pid!);
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => (this.written += text));
  }

  /** Waits until it is connected and has printed its login link. Nothing happens in it by itself. */
  static async start(): Promise<Demo> {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-demo-'));
    const flags = ['demo', '--port', '0', '--data-dir', folder, '--rate', '0'];
    const child = spawn(process.execPath, [MAIN, ...flags], {
      cwd: folder,
      env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const demo = new Demo(folder, child);
    const ready = () => {
      if (child.exitCode !== null) throw new Error(`The demo ended:\n${demo.written}`);
      return demo.link !== undefined;
    };
    try {
      await until('the demo is ready', ready, READY_WITHIN_MS);
      return demo;
    } catch (error) {
      await demo.close();
      throw error;
    }
  }

  /** Good once. */
  get loginLink(): string {
    if (this.link === undefined) throw new Error('The demo has printed no link.');
    return this.link;
  }

  get url(): string {
    return new URL(this.loginLink).origin.replace('localhost', '127.0.0.1');
  }

  /** What it printed: among it a line for each request at the sandbox, and for each event that reached the sample target. */
  get output(): string {
    return this.written;
  }

  get token(): string {
    return readFileSync(join(this.folder, 'demo', 'admin.token'), 'utf8').trim();
  }

  /** A call of the REST API; `path` is what follows `/api/v1`. */
  async request(method: string, path: string, json?: unknown, token = this.token): Promise<ApiAnswer> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    const answer = await fetch(`${this.url}/api/v1${path}`, { method, headers, ...body });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text === '' ? null : JSON.parse(text) };
  }

  async close(): Promise<void> {
    this.guard.kill('SIGKILL');
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, 'exit');
      this.child.kill('SIGKILL');
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  private get link(): string | undefined {
    return /http:\/\/\S+\/login\?token=\S+/.exec(this.written)?.[0];
  }
}
