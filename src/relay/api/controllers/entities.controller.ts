import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import * as contract from '../../../contract/entity';
import { Access } from '../../access/access.decorator';
import type { Operator } from '../../access/operator';
import type { RequestSignal } from '../../database/reading/reader';
import { EntitiesService } from '../../events/entities/entities.service';
import { writeJson } from '../../ground/parse-body';
import { Fails, Returns } from '../../http/responses';
import { Caller, DisconnectSignal, Expensive } from '../route-decorators';

/** Responses are written with the digits of numbers that JavaScript would round. */
@Controller('api/v1')
export class EntitiesController {
  constructor(private readonly entities: EntitiesService) {}

  @Get('entities/:entity')
  @Access('read')
  @Expensive()
  @Returns(200, contract.entityDetail, 'The state of one entity, now or at an earlier time')
  @Fails('as_of_before_horizon')
  async getEntity(
    @Param('entity') entity: string,
    @Query({ schema: contract.entityQuery }) query: contract.EntityQuery,
    @Caller() { mask }: Operator,
    @DisconnectSignal() signal: RequestSignal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await sendJson(reply, await this.entities.get(entity, query, mask, signal));
  }

  @Get('entities/:entity/changes')
  @Access('read')
  @Expensive()
  @Returns(200, contract.entityChanges, 'How one entity differs between two points in time')
  @Fails('as_of_before_horizon')
  async compareEntity(
    @Param('entity') entity: string,
    @Query({ schema: contract.entityChangesQuery }) query: contract.EntityChangesQuery,
    @Caller() { mask }: Operator,
    @DisconnectSignal() signal: RequestSignal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await sendJson(reply, await this.entities.compare(entity, query, mask, signal));
  }

  @Get('events/:id/changes')
  @Access('read')
  @Expensive()
  @Returns(200, contract.eventChanges, 'What an event changed in the record of its entity')
  async getChangesOfEvent(
    @Param('id') id: string,
    @Caller() { mask }: Operator,
    @DisconnectSignal() signal: RequestSignal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await sendJson(reply, await this.entities.changesOf(id, mask, signal));
  }
}

const sendJson = (reply: FastifyReply, content: object) =>
  reply.header('content-type', 'application/json; charset=utf-8').send(writeJson(content));
