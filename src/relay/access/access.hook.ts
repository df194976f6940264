import { Injectable, NotFoundException, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { RelayError } from '../ground/relay-error';
import { isSafe, routeAccess } from './access.decorator';
import { AccessService } from './access.service';
import { ChangeRateLimit } from './change-rate-limit';
import type { OperatorRequest } from './operator';

/**
 * Authorizes every request by its headers, before anything else: a route that is not marked open requires an operator
 * with its scope. The body of a rejected request, or of one to an unknown route, is never read.
 */
@Injectable()
export class AccessHook implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly access: AccessService,
    private readonly changeRate: ChangeRateLimit,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    fastify.addHook('onRequest', (request) => this.admit(request));
  }

  private async admit(request: FastifyRequest): Promise<void> {
    if (request.is404) throw new NotFoundException();
    if (request.routeOptions.config.open === true) return;
    const { scope, action } = routeAccess(request);
    const intent = isSafe(request.method) ? 'read' : 'change';
    const admitted = await this.access.admit(request.raw, intent, scope === null ? [] : [scope]);
    if (admitted instanceof RelayError) throw admitted;
    const tooMany = action === null ? null : this.changeRate.count(admitted);
    if (tooMany !== null) throw tooMany;
    (request as OperatorRequest).operator = admitted;
  }
}
