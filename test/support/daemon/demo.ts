import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TargetCreated } from '../../../src/contract/target';
import { sqliteDriver } from '../../../src/relay/database/sqlite/sqlite-driver';
import { MainProcess } from './main-process';
import { sendJson } from '../send-json';
import { until } from '../until';

const START_TIMEOUT_MS = 60_000;
const LOGIN_LINK = /http:\/\/\S+\/login\?token=\S+/;
const LOGIN_LINK_COMMAND = /^Another link: (.*)$/m;

/** The built demo (`node dist/main.js demo`) as a separate process, with a temporary data folder. */
export class Demo {
  readonly dataDir = mkdtempSync(join(tmpdir(), 'switchboard-demo-'));
  /** The login link that the last start printed, valid once. */
  loginLink = '';
  /** The command for another login link that the last start printed. */
  loginLinkCommand = '';
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

  get url(): string {
    return new URL(this.loginLink).origin;
  }

  /** Calls the daemon's REST API with the admin token. @returns the parsed response @throws if it is an error */
  async ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const token = readFileSync(join(this.dataDir, 'demo/admin.token'), 'utf8').trim();
    return sendJson<T>(method, `${this.url}/api/v1${path}`, body, { authorization: `Bearer ${token}` });
  }

  /** Calls the sandbox's developer panel. */
  panel<T>(method: string, path: string, body?: unknown): Promise<T> {
    const ports = readFileSync(join(this.dataDir, 'demo/demo.json'), 'utf8');
    const { sandboxPort } = JSON.parse(ports) as { sandboxPort: number };
    return sendJson<T>(method, `http://127.0.0.1:${sandboxPort}/panel${path}`, body);
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
      'the demo prints its login links',
      () => {
        assertRuns();
        const { output } = this.process;
        const [link] = LOGIN_LINK.exec(output) ?? [];
        const [, command] = LOGIN_LINK_COMMAND.exec(output) ?? [];
        if (link === undefined || command === undefined) return false;
        this.loginLink = link;
        this.loginLinkCommand = `cd ${this.dataDir} && ${command}`;
        return true;
      },
      START_TIMEOUT_MS,
    );
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}
