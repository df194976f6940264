import { applyDecorators, createParamDecorator, SetMetadata, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf, type OperatorRequest } from '../access/operator';
import type { RequestSignal } from '../database/reading/reader';
import { Fails } from '../http/responses';
import { extendRouteConfig } from '../http/route-config';

/** The maximum body size of a route, if it exceeds the default of 16 KiB. */
export const BodyLimit = (bytes: number): MethodDecorator => extendRouteConfig({ bodyLimit: bytes });

/** For a filter (up to 16,384 characters) or a thousand ids. */
export const FILTER_BYTES = 128 * 1024;
/** For a target with its certificates and tests. */
export const TARGET_BYTES = 512 * 1024;
/** For settings to test, or an event's payload. */
export const LARGE_BYTES = 256 * 1024;

/** The operator that sent the request, as authenticated by `AccessHook`. */
export const Caller = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<OperatorRequest>().operator,
);

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

/** `download`: a streamed response, whose duration depends on the client. `held`: it waits for events. */
export type Expense = 'read' | 'download' | 'held';

export const EXPENSE = 'switchboard:expense';

/** Marks a route with expensive reads: each caller may run only a few such requests at a time. */
export const Expensive = (
  expense: Expense | ((request: FastifyRequest) => Expense) = 'read',
): MethodDecorator =>
  applyDecorators(
    SetMetadata(EXPENSE, typeof expense === 'string' ? () => expense : expense),
    Fails('too_many_reads'),
  );
