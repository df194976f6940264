import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { callerOf, type OperatorRequest } from '../access/operator';
import type { RequestSignal } from '../database/reader';

/** A signal that is aborted when the client goes away before it was answered, and knows who that is. */
export const Abandoned = createParamDecorator((_: unknown, context: ExecutionContext): RequestSignal => {
  const http = context.switchToHttp();
  const { raw } = http.getResponse<FastifyReply>();
  const abandoned = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) abandoned.abort();
  });
  const caller = callerOf(http.getRequest<OperatorRequest>().operator);
  return Object.assign(abandoned.signal, { caller });
});
