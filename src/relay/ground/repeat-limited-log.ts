import type { Log } from './log';

const EVERY_MS = 1_000;

/**
 * A log for messages that outsiders can trigger at any rate. The first message is written at once; while it repeats,
 * one line a second is written, with the count and the fields of the last one.
 */
export class RepeatLimitedLog {
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
    }, EVERY_MS).unref();
  }
}

type Level = 'warn' | 'error';
