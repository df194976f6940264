import timerPromises from 'node:timers/promises';
import type { Clock } from '../../../src/relay/ground/clock';

interface Timer {
  at: number;
  run: () => void;
}

const START = Date.UTC(2026, 2, 2, 9, 30);
const realImmediate = setImmediate;
const nextTurn = () => new Promise((resolve) => realImmediate(resolve));

/**
 * Time that passes only when it is advanced: the clock, and every timer of the process while it is installed. Nothing
 * waits for real time, so a run depends on nothing but its seed.
 */
export class SimulatedTime implements Clock {
  private time = START;
  private lastTimer = 0;
  private readonly timers = new Map<number, Timer>();
  private immediates = 0;

  /** @param isBusy whether something is under way that is no timer, such as a statement on a server */
  constructor(private readonly isBusy: () => boolean = () => false) {}

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
          clearTimeout: (timer: unknown) => this.timers.delete(Number(timer)),
          clearInterval: (timer: unknown) => this.timers.delete(Number(timer)),
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
    do await nextTurn();
    while (this.immediates > 0 || this.isBusy());
  }

  /** Lets time pass, and the timers run that end meanwhile, one after the other. */
  async advance(ms: number): Promise<void> {
    const end = this.time + ms;
    await this.settle();
    for (let next = this.nextUntil(end); next !== null; next = this.nextUntil(end)) {
      const [id, timer] = next;
      this.timers.delete(id);
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

  private add(ms = 0, run: () => void, id = (this.lastTimer += 1)) {
    this.timers.set(id, { at: this.time + Math.max(1, ms), run });
    return { [Symbol.toPrimitive]: () => id, unref: () => undefined, ref: () => undefined };
  }

  private repeat(ms: number, run: () => void) {
    const id = (this.lastTimer += 1);
    const again = () => {
      this.add(ms, again, id);
      run();
    };
    return this.add(ms, again, id);
  }

  private nextUntil(end: number): [id: number, timer: Timer] | null {
    let found: [number, Timer] | null = null;
    for (const entry of this.timers)
      if (entry[1].at <= end && entry[1].at < (found?.[1].at ?? Infinity)) found = entry;
    return found;
  }
}
