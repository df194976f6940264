import timerPromises from 'node:timers/promises';
import type { Clock } from '../../../src/relay/ground/clock';

interface Timer {
  at: number;
  run: () => void;
}

const LATE_MS = 1_000;
const START = Date.UTC(2026, 2, 2, 9, 30);
const realImmediate = setImmediate;
const realClear = clearTimeout;
const nextTurn = () => new Promise((resolve) => realImmediate(resolve));

/**
 * Time that passes only when it is advanced: the clock, and every timer of the process while it is installed. Nothing
 * waits for real time, so a run depends on nothing but its seed.
 */
export class SimulatedTime implements Clock {
  private time = START;
  private readonly timers = new Map<unknown, Timer>();
  private immediates = 0;

  /** @param busy what is under way that is no timer, such as a statement on a server; null: nothing */
  constructor(private readonly busy: () => Promise<void> | null = () => null) {}

  now = (): number => this.time;
  monotonic = (): number => this.time - START;
  slept = (): number => 0;

  /** Replaces the timers of the process. @returns restores them */
  install(): () => void {
    const replaced: [object: object, members: object][] = [
      [
        globalThis,
        {
          setTimeout: (run: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) =>
            this.add(ms, () => run(...given)),
          setInterval: (run: () => void, ms: number) => this.repeat(ms, run),
          setImmediate: (run: (...given: unknown[]) => void, ...given: unknown[]) => {
            this.immediates += 1;
            return realImmediate(() => {
              this.immediates -= 1;
              run(...given);
            });
          },
          clearTimeout: (timer: unknown) => this.clear(timer),
          clearInterval: (timer: unknown) => this.clear(timer),
        },
      ],
      [
        timerPromises,
        {
          setTimeout: (ms: number, value: unknown) =>
            new Promise((resolve) => void this.add(ms, () => resolve(value))),
          setImmediate: () => new Promise<void>((resolve) => void setImmediate(() => resolve())),
        },
      ],
      [performance, { now: this.monotonic }],
    ];
    const originals = replaced.map(([object, members]) =>
      Object.keys(members).map((name) => [name, (object as Record<string, unknown>)[name]]),
    );
    for (const [object, members] of replaced) Object.assign(object, members);
    return () =>
      replaced.forEach(([object], i) => void Object.assign(object, Object.fromEntries(originals[i]!)));
  }

  /** Lets everything run that waits for no timer. */
  async settle(): Promise<void> {
    do {
      await this.busy();
      await nextTurn();
    } while (this.immediates > 0 || this.busy() !== null);
  }

  /** Lets time pass, and the timers run that end meanwhile, one after the other. */
  async advance(ms: number): Promise<void> {
    const end = this.time + ms;
    await this.settle();
    // In a long time, what recurs every moment runs once for most of it.
    this.time = Math.max(this.time, end - LATE_MS);
    for (let next = this.nextUntil(end); next !== null; next = this.nextUntil(end)) {
      const [handle, timer] = next;
      this.timers.delete(handle);
      this.time = Math.max(this.time, timer.at);
      timer.run();
      await this.settle();
    }
    this.time = end;
  }

  /** The process that set them has ended. */
  forgetTimers(): void {
    this.timers.clear();
  }

  private add(ms = 0, run: () => void, handle = newHandle()) {
    this.timers.set(handle, { at: this.time + Math.max(1, ms), run });
    return handle;
  }

  private repeat(ms: number, run: () => void, handle = newHandle()) {
    const again = () => {
      this.add(ms, again, handle);
      run();
    };
    return this.add(ms, again, handle);
  }

  /** It may be a real one, from before. */
  private clear(timer: unknown): void {
    if (!this.timers.delete(timer)) realClear(timer as NodeJS.Timeout);
  }

  private nextUntil(end: number): [handle: unknown, timer: Timer] | null {
    let found: [unknown, Timer] | null = null;
    for (const entry of this.timers)
      if (entry[1].at <= end && entry[1].at < (found?.[1].at ?? Infinity)) found = entry;
    return found;
  }
}

const newHandle = () => ({ unref: () => undefined, ref: () => undefined });
