import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import type { Observable } from 'rxjs';
import { callerOf, type OperatorRequest } from '../access/operator';
import { EXPENSE, type Expense } from './expensive.decorator';
import { ConcurrencyLimit } from './concurrency-limit';

/**
 * Limits routes marked as expensive: a request holds its slot until the response is sent. Many reads at once come from a
 * dashboard with several tabs, so they wait. Downloads take long; they have a separate limit and are rejected sooner.
 */
@Injectable()
export class LimitReadsInterceptor implements NestInterceptor {
  private readonly limits: Readonly<Record<Expense, ConcurrencyLimit>> = {
    // A dashboard times out after three times as long.
    read: new ConcurrencyLimit({ atOnce: 4, waiting: 250, waitMs: 10_000 }),
    download: new ConcurrencyLimit({ atOnce: 4, waiting: 250, waitMs: 1_000 }),
  };

  constructor(private readonly reflector: Reflector) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const expense = this.reflector.get<Expense | undefined>(EXPENSE, context.getHandler());
    if (expense === undefined) return next.handle();
    const http = context.switchToHttp();
    const { raw } = http.getResponse<FastifyReply>();
    const abandoned = new AbortController();
    raw.once('close', () => abandoned.abort());
    const caller = callerOf(http.getRequest<OperatorRequest>().operator);
    const release = await this.limits[expense].take(caller, abandoned.signal);
    // A response that the client does not read stays in memory until then.
    if (raw.closed) release();
    else raw.once('close', release);
    return next.handle();
  }
}
