import type { Log } from './log';

const EVERY_MS = 1_000;

/**
 * A log for what anybody can bring about as often as he likes. A message is written at once when it is the first; while it
 * repeats, once a second, with how many there were and the particulars of the last.
 */
export class CountedLog {
  private readonly repeated = new Map<string, { count: number; particulars: object; level: Level }>();

  constructor(private readonly log: Log) {}

  warn(particulars: object, message: string): void {
    this.write('warn', particulars, message);
  }

  error(particulars: object, message: string): void {
    this.write('error', particulars, message);
  }

  private write(level: Level, particulars: object, message: string): void {
    const before = this.repeated.get(message);
    if (before === undefined) {
      this.log[level](particulars, message);
      this.wait(message, { count: 0, particulars, level });
      return;
    }
    before.count += 1;
    before.particulars = particulars;
  }

  private wait(message: string, repeated: { count: number; particulars: object; level: Level }): void {
    this.repeated.set(message, repeated);
    setTimeout(() => {
      this.repeated.delete(message);
      const { count, particulars, level } = repeated;
      if (count === 0) return;
      this.log[level]({ ...particulars, count }, message);
      this.wait(message, { ...repeated, count: 0 });
    }, EVERY_MS).unref();
  }
}

type Level = 'warn' | 'error';
