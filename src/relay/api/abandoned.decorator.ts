import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

/** A signal that is aborted when the client goes away before it was answered. */
export const Abandoned = createParamDecorator((_: unknown, context: ExecutionContext): AbortSignal => {
  const { raw } = context.switchToHttp().getResponse<FastifyReply>();
  const abandoned = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) abandoned.abort();
  });
  return abandoned.signal;
});
