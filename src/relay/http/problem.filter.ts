import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '../../contract/problem';
import { RateLimitedLog } from '../ground/rate-limited-log';
import { describeError } from '../ground/describe-error';
import { describeProblem } from './describe-problem';
import type { Log } from '../ground/log';
import { RelayError } from '../ground/relay-error';
import { sendProblem } from './send-problem';

/** Sends every error as `application/problem+json`; internal details go only to the log. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly limitedLog: RateLimitedLog;

  constructor(private readonly log: Log) {
    this.limitedLog = new RateLimitedLog(log);
  }

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const problem = describeProblem(error);
    this.record(error, problem, request);
    if (reply.sent || reply.raw.headersSent) {
      reply.raw.destroy();
      return;
    }
    if (error instanceof RelayError && error.retryAfterSeconds !== undefined)
      reply.header('retry-after', error.retryAfterSeconds);
    sendProblem(reply, problem);
  }

  /** Logs the route pattern rather than the URL, which may contain keys and tokens. */
  private record(error: unknown, { status, code }: Problem, request: FastifyRequest): void {
    const record = { status, code, method: request.method, route: request.routeOptions?.url ?? null };
    // While this daemon stops, clients that wait for events ask again.
    if (status < 500 || code === 'no_leader') this.log.debug(record, 'request rejected');
    // A 503 lasts for a while, and any client can cause this message again and again.
    else if (status === 503)
      this.limitedLog.error({ ...record, fault: describeError(error) }, `request failed: ${code}`);
    else this.log.error({ ...record, fault: describeError(error) }, 'request failed');
  }
}
