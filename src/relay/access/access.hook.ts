import { Injectable, NotFoundException, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Scope } from '../../contract/token';
import { RelayError } from '../ground/relay-error';
import { ANY_PAGE, KnownRoutes } from '../http/known-routes';
import { isSafe, routeAccess } from './access.decorator';
import { AccessService } from './access.service';
import { ChangeRateLimit } from './change-rate-limit';
import type { Operator, OperatorRequest } from './operator';

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
    private readonly routes: KnownRoutes,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    fastify.addHook('onRequest', (request, reply) => this.admit(request, reply));
  }

  private async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (request.is404 || request.routeOptions.url === ANY_PAGE) await this.rejectMethod(request, reply);
    if (request.is404) throw new NotFoundException();
    if (request.routeOptions.config.open === true) return;
    const { scope, action } = routeAccess(request);
    const admitted = await this.authorize(request, scope === null ? [] : [scope]);
    const tooMany = action === null ? null : this.changeRate.count(admitted);
    if (tooMany !== null) throw tooMany;
    (request as OperatorRequest).operator = admitted;
  }

  private async authorize(request: FastifyRequest, scopes: readonly Scope[]): Promise<Operator> {
    const intent = isSafe(request.method) ? 'read' : 'change';
    const admitted = await this.access.admit(request.raw, intent, scopes);
    if (admitted instanceof RelayError) throw admitted;
    return admitted;
  }

  /** @throws RelayError `method_not_allowed`, 405, if the path has routes, but none for this method */
  private async rejectMethod(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const path = this.routes.at(request.url);
    if (path === null) return;
    if (!path.isOpen) await this.authorize(request, []);
    const methods = path.methods.join(', ');
    reply.header('allow', methods);
    throw new RelayError('method_not_allowed', 405, `This path has no route for ${request.method}.`, {
      remedy: `Its methods are ${methods}.`,
    });
  }
}
