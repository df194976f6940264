import type { Log } from './log';

const INTERVAL_MS = 1_000;

/**
 * A log for messages that anyone can trigger at any rate. The first occurrence of a message is written at once. As
 * long as it repeats, one line per second follows, with the count and the fields of the last occurrence.
 */
export class RateLimitedLog {
  private readonly repeated = new Map<string, { count: number; fields: object; level: Level }>();

  constructor(private readonly log: Log) {}

  warn(fields: object, message: string): void {
    this.write('warn', fields, message);
  }

  error(fields: object, message: string): void {
    this.write('error', fields, message);
  }

  private write(level: Level, fields: object, message: string): void {
    const before = this.repeated.get(message);
    if (before === undefined) {
      this.log[level](fields, message);
      this.startInterval(message, { count: 0, fields, level });
      return;
    }
    before.count += 1;
    before.fields = fields;
  }

  private startInterval(message: string, repeated: { count: number; fields: object; level: Level }): void {
    this.repeated.set(message, repeated);
    setTimeout(() => {
      this.repeated.delete(message);
      const { count, fields, level } = repeated;
      if (count === 0) return;
      this.log[level]({ ...fields, count }, message);
      this.startInterval(message, { ...repeated, count: 0 });
    }, INTERVAL_MS).unref();
  }
}

type Level = 'warn' | 'error';
