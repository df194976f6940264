import type { LoggerService } from '@nestjs/common';
import { describeFault } from '../ground/describe-fault';
import type { Log } from '../ground/log';

/** Lets Nest write into our log. What it tells of its own start is of interest to us only while debugging. */
export class NestLog implements LoggerService {
  constructor(private readonly target: Log) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.target.debug({ nest: rest.at(-1) }, String(message));
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.target.warn({ nest: rest.at(-1) }, String(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    const fault = message instanceof Error ? describeFault(message) : undefined;
    this.target.error({ nest: rest.at(-1), fault }, fault?.message ?? String(message));
  }
}
