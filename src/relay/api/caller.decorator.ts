import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { OperatorRequest } from '../access/operator';

/** Whoever asks, as the guard let them in. */
export const Caller = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<OperatorRequest>().operator,
);
