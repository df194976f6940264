import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { callerOf, type OperatorRequest } from '../access/operator';
import { type Expense, EXPENSE } from './route-decorators';
import { ConcurrencyLimit } from './concurrency-limit';

/**
 * Limits the routes marked as expensive: a request holds its slot until the response is sent. Reads are queued,
 * because a dashboard with several tabs sends many at once. Downloads take long, so they have a separate limit and
 * fail sooner.
 */
@Injectable()
export class LimitReadsInterceptor implements NestInterceptor {
  private readonly limits: Readonly<Record<Expense, ConcurrencyLimit>> = {
    // A third of the dashboard's own timeout.
    read: new ConcurrencyLimit({ maxRunning: 4, maxQueued: 250, maxWaitMs: 10_000 }),
    download: new ConcurrencyLimit({ maxRunning: 4, maxQueued: 250, maxWaitMs: 1_000 }),
    // These wait for events, and take no turn of the others.
    held: new ConcurrencyLimit({ maxRunning: 16, maxQueued: 0, maxWaitMs: 0, maxInAll: 256 }),
  };

  constructor(private readonly reflector: Reflector) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const expenseOf = this.reflector.get<((request: FastifyRequest) => Expense) | undefined>(
      EXPENSE,
      context.getHandler(),
    );
    if (expenseOf === undefined) return next.handle();
    const http = context.switchToHttp();
    const request = http.getRequest<OperatorRequest>();
    const { raw } = http.getResponse<FastifyReply>();
    const disconnected = new AbortController();
    raw.once('close', () => disconnected.abort());
    const limit = this.limits[expenseOf(request)];
    const release = await limit.take(callerOf(request.operator), disconnected.signal);
    // Held until the connection closes: a response that the client does not read stays in memory.
    if (raw.closed) release();
    else raw.once('close', release);
    return next.handle();
  }
}
