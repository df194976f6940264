import { Injectable, NotFoundException, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { RelayError } from '../ground/relay-error';
import { AccessService } from './access.service';
import { ChangeRate } from './change-rate';
import type { OperatorRequest } from './operator';
import { isSafe, ruleOf } from './route-rules';

/**
 * Before everything else, and by the headers alone: what is not marked open wants an operator with its scope. Of a request
 * that is refused, as of one that leads nowhere, no byte of the body is read.
 */
@Injectable()
export class AdmitRequests implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly access: AccessService,
    private readonly rate: ChangeRate,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    fastify.addHook('onRequest', (request) => this.admit(request));
  }

  private async admit(request: FastifyRequest): Promise<void> {
    if (request.is404) throw new NotFoundException();
    const { config, url = '' } = request.routeOptions;
    if (config.open === true) return;
    const { scope } = ruleOf(request.method, url);
    const intent = isSafe(request.method) ? 'read' : 'change';
    const admitted = await this.access.admit(request, intent, scope === null ? [] : [scope]);
    if (admitted instanceof RelayError) throw admitted;
    const refusal = scope === 'operate' ? this.rate.refuse(admitted) : null;
    if (refusal !== null) throw refusal;
    (request as OperatorRequest).operator = admitted;
  }
}
