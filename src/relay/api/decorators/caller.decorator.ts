import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { OperatorRequest } from '../../access/operator';

/** The operator that sent the request, as authenticated by `AccessHook`. */
export const Caller = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<OperatorRequest>().operator,
);
