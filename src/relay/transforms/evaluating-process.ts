import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Log } from '../ground/log';
import { restartDelayMs } from '../ground/restart-delay';
import type { FromTransformProcess, TransformOutcome, TransformRequest } from './transform-messages';

/** Without the daemon's own options and environment, and so that what exhausts its memory ends only this process. */
const PROCESS = { execArgv: ['--max-old-space-size=64', '--max-semi-space-size=4'], env: {} };

/** The limits of JSONata do not reach regular expressions. */
const SLOW_MS = 500;
/** Then the process ends, which returns its memory. */
const IDLE_MS = 15_000;

/** What a process did not survive is tried again, with a new one: the machine, or who killed the process, may be at fault. */
const TRIES = { too_slow: 2, process_ended: 5 };

const FAILURES = {
  too_slow: 'The evaluation took longer than half a second.',
  process_ended: 'The evaluation ended its process, most likely because it needed more than 64 MiB.',
};

interface Evaluation {
  request: TransformRequest;
  resolve: (outcome: TransformOutcome | null) => void;
  tries: number;
  isSlow: boolean;
}

/** Evaluates expressions, one after another, in a process that is started when it is needed and ended when it is idle. */
export class EvaluatingProcess {
  private child: ChildProcess | null = null;
  private isReady = false;
  private waiting: Evaluation[] = [];
  private current: Evaluation | null = null;
  private failedStarts = 0;
  private rests = false;
  private timer: NodeJS.Timeout | undefined;
  private ended = false;

  constructor(private readonly log: Log) {}

  /** @returns null if nothing is known of the outcome: the process cannot be started, or the daemon ends */
  evaluate(request: TransformRequest): Promise<TransformOutcome | null> {
    if (this.ended) return Promise.resolve(null);
    return new Promise((resolve) => {
      this.waiting.push({ request, resolve, tries: 0, isSlow: false });
      if (this.current === null) this.next();
    });
  }

  end(): void {
    this.ended = true;
    clearTimeout(this.timer);
    this.child?.kill('SIGKILL');
    this.abandonAll();
  }

  private next(): void {
    clearTimeout(this.timer);
    const [next] = this.waiting;
    if (next === undefined) this.timer = setTimeout(() => this.endIdle(), IDLE_MS).unref();
    else if (this.child === null) {
      if (!this.rests) this.child = this.start();
    } else if (this.isReady) {
      this.current = this.waiting.shift()!;
      this.timer = setTimeout(() => this.endSlow(next), SLOW_MS);
      // If the process has just ended, its end is reported too.
      this.child.send(next.request, () => undefined);
    }
  }

  private start(): ChildProcess {
    const child = fork(join(__dirname, 'transform.process.js'), [], {
      ...PROCESS,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    // Only what the daemon does keeps it running.
    child.unref();
    child.channel?.unref();
    child.on('message', (message: FromTransformProcess) => {
      if (child !== this.child) return;
      if (message === 'ready') {
        this.isReady = true;
        this.failedStarts = 0;
      } else this.settle(message);
      this.next();
    });
    child.on('exit', (code, signal) => void this.onEnd(child, signal ?? `code ${code}`));
    child.on('error', (error) => void this.onEnd(child, error.message));
    return child;
  }

  private settle(outcome: TransformOutcome): void {
    const { current } = this;
    this.current = null;
    current?.resolve(outcome);
  }

  private async onEnd(child: ChildProcess, reason: string): Promise<void> {
    if (child !== this.child || this.ended) return;
    const { current, isReady } = this;
    this.child = null;
    this.isReady = false;
    if (current !== null) {
      current.tries += 1;
      const code = current.isSlow ? 'too_slow' : 'process_ended';
      if (current.tries >= TRIES[code])
        this.settle({ failure: { code, position: null, message: FAILURES[code] } });
      else this.waiting.unshift(current);
      this.current = null;
    }
    if (!isReady) await this.restAfterFailedStart(reason);
    this.next();
  }

  private async restAfterFailedStart(reason: string): Promise<void> {
    this.failedStarts += 1;
    // After its first failure it is started again at once.
    if (this.failedStarts === 1) return;
    this.log.error({ reason }, 'the process of transformations does not start; its attempts are made again');
    this.rests = true;
    await wait(restartDelayMs(this.failedStarts), undefined, { ref: false });
    this.rests = false;
    this.abandonAll();
  }

  private endIdle(): void {
    const { child } = this;
    this.child = null;
    this.isReady = false;
    child?.kill();
  }

  private endSlow(evaluation: Evaluation): void {
    // Its outcome may have arrived while this thread was busy.
    setImmediate(() => {
      if (this.current !== evaluation) return;
      evaluation.isSlow = true;
      this.child?.kill('SIGKILL');
    });
  }

  private abandonAll(): void {
    for (const { resolve } of [...this.waiting, ...(this.current === null ? [] : [this.current])])
      resolve(null);
    this.waiting = [];
    this.current = null;
  }
}
