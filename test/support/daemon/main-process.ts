import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { resolve } from 'node:path';
import { killWithParent } from './kill-with-parent';

/** Node's arguments that run the build. */
export const MAIN = [
  '--require',
  resolve(__dirname, 'cache-code.cjs'),
  resolve(__dirname, '../../../dist/main.js'),
];
const STOP_TIMEOUT_MS = 120_000;

/** Characters of output that are stored, across all runs. */
const OUTPUT_LIMIT = 200_000;
/** Characters of output that an error shows. */
const SHOWN_OUTPUT_LIMIT = 4_000;

/** Says that the file descriptor 3 is a socket for this very process (sd_listen_fds(3)). */
const PASS_SOCKET = ['/bin/sh', '-c', 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"', 'sh'];

export interface ProcessOptions {
  /** A command with its flags that runs it. It must `exec` it, so that the process id stays the same. */
  under?: readonly string[];
  /** The file descriptor of a socket to pass to it, as systemd does. */
  listenFd?: number | undefined;
}

/** A command of the build (`node dist/main.js …`) as a separate process, which ends with this one at the latest. */
export class MainProcess {
  /** Of the last process that ended; null if a signal ended it. */
  exitCode: number | null = null;
  /** The end of what all runs wrote to standard output and standard error. */
  output = '';
  private child: ChildProcess | null = null;
  private guard: ChildProcess | null = null;

  constructor(
    private readonly name: string,
    private readonly args: readonly string[],
    private readonly folder: string,
    private readonly environment: Readonly<Record<string, string>>,
    private readonly options: ProcessOptions = {},
  ) {}

  /** @throws if it is not running */
  get pid(): number {
    const pid = this.child?.pid;
    if (pid === undefined) throw new Error(`${this.name} is not running.\n${this.lastOutput}`);
    return pid;
  }

  get isRunning(): boolean {
    return this.child !== null;
  }

  /** The end of its output, for an error. */
  get lastOutput(): string {
    return this.output.slice(-SHOWN_OUTPUT_LIMIT);
  }

  /** @returns what throws if this run has ended */
  start(): () => void {
    if (this.isRunning) throw new Error(`${this.name} is already running.`);
    const { under = [], listenFd } = this.options;
    const before = [...under, ...(listenFd === undefined ? [] : PASS_SOCKET)];
    const [command = '', ...flags] = [...before, process.execPath, ...MAIN, ...this.args];
    const child: ChildProcess = spawn(command, flags, {
      cwd: this.folder,
      env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...this.environment },
      stdio: ['ignore', 'pipe', 'pipe', ...(listenFd === undefined ? [] : [listenFd])],
    });
    for (const stream of [child.stdout!, child.stderr!] as Readable[])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.output = (this.output + text).slice(-OUTPUT_LIMIT);
      });
    child.on('error', (error) => (this.output += `${error.message}\n`));
    child.on('exit', () => this.ended(child));
    this.child = child;
    this.guard = child.pid === undefined ? null : killWithParent(child.pid);
    return () => {
      const end = child.exitCode ?? child.signalCode;
      if (end !== null) throw new Error(`${this.name} ended with ${end}:\n${this.lastOutput}`);
    };
  }

  /** Sends SIGKILL, so that it cannot clean up. */
  async kill(): Promise<void> {
    if (this.child === null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }

  /** Sends SIGTERM. @returns its exit code @throws if a signal ended it, with the end of its output */
  async stop(): Promise<number> {
    const { child } = this;
    if (child === null) throw new Error(`${this.name} is not running.\n${this.lastOutput}`);
    const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    let inTime = true;
    const timer = setTimeout(() => {
      inTime = false;
      child.kill('SIGKILL');
    }, STOP_TIMEOUT_MS);
    child.kill('SIGTERM');
    const [code, signal] = await ended;
    clearTimeout(timer);
    if (code !== null) return code;
    const cause = inTime ? `ended by ${signal}` : `still running ${STOP_TIMEOUT_MS} ms later`;
    throw new Error(`After SIGTERM ${this.name} was ${cause}:\n${this.lastOutput}`);
  }

  private ended(child: ChildProcess): void {
    if (this.child !== child) return;
    this.guard?.kill('SIGKILL');
    this.guard = null;
    this.child = null;
    this.exitCode = child.exitCode;
  }
}
