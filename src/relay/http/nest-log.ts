import type { LoggerService } from '@nestjs/common';
import { describeError } from '../ground/describe-error';
import type { Log } from '../ground/log';

/** Nest's log, written to ours. Its startup messages are only of interest when debugging. */
export class NestLog implements LoggerService {
  constructor(private readonly target: Log) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.target.debug({ nest: rest.at(-1) }, String(message));
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.target.warn({ nest: rest.at(-1) }, String(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    // That it cannot listen, which is thrown as well.
    if (rest.at(-1) === 'NestApplication') return;
    const fault = message instanceof Error ? describeError(message) : undefined;
    this.target.error({ nest: rest.at(-1), fault }, fault?.message ?? String(message));
  }
}
