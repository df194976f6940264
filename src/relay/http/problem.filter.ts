import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Problem } from '../../contract/problem';
import { RepeatLimitedLog } from '../ground/repeat-limited-log';
import { describeFault } from '../ground/describe-fault';
import { describeProblem } from './describe-problem';
import type { Log } from '../ground/log';
import { RelayError } from '../ground/relay-error';
import { sendProblem } from './send-problem';

/** Every error leaves as `application/problem+json`; what it was behind our door, only the log sees. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly counted: RepeatLimitedLog;

  constructor(private readonly log: Log) {
    this.counted = new RepeatLimitedLog(log);
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

  /** The route as it was declared, not the address: that may carry keys and tokens. */
  private record(error: unknown, { status, code }: Problem, request: FastifyRequest): void {
    const act = { status, code, method: request.method, route: request.routeOptions?.url ?? null };
    if (status < 500) this.log.debug(act, 'request refused');
    // Of a state that lasts, which anybody can ask for again and again.
    else if (status === 503)
      this.counted.error({ ...act, fault: describeFault(error) }, `request failed: ${code}`);
    else this.log.error({ ...act, fault: describeFault(error) }, 'request failed');
  }
}
