import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TargetCreated } from '../../../src/contract/target';
import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';
import { MainProcess } from './main-process';
import { until } from '../until';

const START_TIMEOUT_MS = 60_000;
const LOGIN_LINK = /http:\/\/\S+\/login\?token=\S+/g;

/** The built demo (`node dist/main.js demo`) as a separate process, with a temporary data folder. */
export class Demo {
  readonly dataDir = mkdtempSync(join(tmpdir(), 'switchboard-demo-'));
  private readonly process: MainProcess;

  private constructor(rate: number) {
    const flags = ['demo', '--port', '0', '--data-dir', this.dataDir, '--rate', String(rate)];
    this.process = new MainProcess('the demo', flags, this.dataDir, {});
  }

  /** Starts it, and waits until its parts are connected. @param rate events per second */
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

  /** The login link that the last start printed, valid once. */
  get loginLink(): string {
    return this.process.output.match(LOGIN_LINK)!.at(-1)!;
  }

  /** The command for another login link that the last start printed. */
  get loginLinkCommand(): string {
    return `cd ${this.dataDir} && ${/^Another link: (.*)$/m.exec(this.process.output)![1]!}`;
  }

  get url(): string {
    return new URL(this.loginLink).origin;
  }

  /** Calls the daemon's REST API with the admin token. @returns the parsed response @throws if it is an error */
  async ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const token = readFileSync(join(this.dataDir, 'demo/admin.token'), 'utf8').trim();
    return send<T>(method, `${this.url}/api/v1${path}`, body, { authorization: `Bearer ${token}` });
  }

  /** Calls the sandbox's developer panel. */
  panel<T>(method: string, path: string, body?: unknown): Promise<T> {
    const ports = readFileSync(join(this.dataDir, 'demo/demo.json'), 'utf8');
    const { sandboxPort } = JSON.parse(ports) as { sandboxPort: number };
    return send<T>(method, `http://127.0.0.1:${sandboxPort}/panel${path}`, body);
  }

  addTarget(name: string, url: string, more: object = {}): Promise<TargetCreated> {
    return this.ask('POST', '/targets', { name, url, ...more });
  }

  /** Runs SQL on the daemon's database file. The demo must be stopped. */
  alterDatabase(sql: string): void {
    const connection = new sqliteDriver(join(this.dataDir, 'demo/switchboard.db'));
    try {
      connection.exec(sql);
    } finally {
      connection.close();
    }
  }

  async stop(): Promise<void> {
    if (this.process.isRunning) await this.process.stop();
  }

  /** Starts it on the same data, and waits until its parts are connected. */
  async restart(): Promise<void> {
    this.process.output = '';
    const assertRuns = this.process.start();
    await until(
      'the demo prints its login link',
      () => {
        assertRuns();
        return this.process.output.search(LOGIN_LINK) >= 0;
      },
      START_TIMEOUT_MS,
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
  const response = await fetch(url, { method, ...body });
  const text = await response.text();
  if (!response.ok)
    throw new Error(`${method} ${new URL(url).pathname} returned ${response.status}: ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}
