import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { callerOf, type OperatorRequest } from '../../access/operator';
import type { RequestSignal } from '../../database/reading/reader';

/** A signal that aborts when the client disconnects before the response is sent. It also identifies the caller. */
export const DisconnectSignal = createParamDecorator(
  (_: unknown, context: ExecutionContext): RequestSignal => {
    const http = context.switchToHttp();
    const { raw } = http.getResponse<FastifyReply>();
    const controller = new AbortController();
    raw.once('close', () => {
      if (!raw.writableFinished) controller.abort();
    });
    const caller = callerOf(http.getRequest<OperatorRequest>().operator);
    return Object.assign(controller.signal, { caller });
  },
);
