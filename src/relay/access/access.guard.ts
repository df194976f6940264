import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { RelayError } from '../relay-error';
import { AccessService } from './access.service';
import { OPEN } from './open.decorator';
import type { OperatorRequest } from './operator';
import { isSafe, ruleOf } from './route-rules';

/** Before every route: what is not marked open wants an operator with its scope. Sockets were asked at their handshake. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly access: AccessService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true;
    if (this.reflector.getAllAndOverride<boolean>(OPEN, [context.getHandler(), context.getClass()]))
      return true;
    const request = context.switchToHttp().getRequest<OperatorRequest>();
    const { scope } = ruleOf(request.method, request.routeOptions.url ?? '');
    const admitted = await this.access.admit(
      request,
      isSafe(request.method) ? 'read' : 'change',
      scope === null ? [] : [scope],
    );
    if (admitted instanceof RelayError) throw admitted;
    request.operator = admitted;
    return true;
  }
}
