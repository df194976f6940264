import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import * as contract from '../../../contract/entity';
import { Access } from '../../access/access.decorator';
import type { Operator, OperatorRequest } from '../../access/operator';
import type { RequestSignal } from '../../database/reading/reader';
import { ChangedEntitiesQuery } from '../../events/entities/changed-entities.query';
import { EntitiesService } from '../../events/entities/entities.service';
import { ExportEntitiesQuery } from '../../events/entities/export-entities.query';
import { FindEntitiesQuery } from '../../events/entities/find-entities.query';
import { FORMATS } from '../../events/export-formats';
import { assertNotMasked } from '../../filters/masked-filter';
import { writeJson } from '../../ground/parse-body';
import { Fails, Returns, Sends } from '../../http/responses';
import { Caller, DisconnectSignal, Expensive } from '../route-decorators';

const EXPORT = `The states of all matching entities at one point in time, each once, by name. \`format\` is \`ndjson\` (the default: one line
of JSON for each entity, as in the list), \`json\` (a list) or \`csv\`, which has a column for each \`field\`, by default for every single
value of the first 1,000 records, at most 50; a cell that looks like a formula begins with an apostrophe, and one of more than 32,767 characters
says where to find its text. If the export fails midway, the connection is closed before the end of the response.`;

/** Responses are written with the digits of numbers that JavaScript would round. */
@Controller('api/v1')
export class EntitiesController {
  constructor(
    private readonly entities: EntitiesService,
    private readonly finder: FindEntitiesQuery,
    private readonly exports: ExportEntitiesQuery,
    private readonly changed: ChangedEntitiesQuery,
  ) {}

  @Get('entities')
  @Access('read')
  @Expensive()
  @Returns(200, contract.entityList, 'Entities in their state, now or at an earlier time')
  @Fails('as_of_before_horizon', 'filter_invalid', 'payload_masked')
  async listEntities(
    @Query({ schema: contract.entityListQuery }) query: contract.EntityListQuery,
    @Caller() { mask }: Operator,
    @DisconnectSignal() signal: RequestSignal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    assertNotMasked(query, mask);
    await sendJson(reply, await this.finder.find(query, mask, signal));
  }

  @Get('entities/count')
  @Access('read')
  @Expensive()
  @Returns(200, contract.entityCount, 'How many entities match, exactly or estimated')
  @Fails('as_of_before_horizon', 'filter_invalid', 'payload_masked')
  countEntities(
    @Query({ schema: contract.entityCountQuery }) query: contract.EntityFilters,
    @Caller() { mask }: Operator,
    @DisconnectSignal() signal: RequestSignal,
  ): Promise<contract.EntityCount> {
    assertNotMasked(query, mask);
    return this.finder.count(query, signal);
  }

  @Get('entities/export')
  @Access('read')
  @Expensive('download')
  @Sends(200, EXPORT, 'application/x-ndjson', 'application/json', 'text/csv')
  @Fails('as_of_before_horizon', 'filter_invalid', 'payload_masked')
  async exportEntities(
    @Query({ schema: contract.entityExportQuery }) query: contract.EntityExportQuery,
    @DisconnectSignal() signal: RequestSignal,
    @Req() { method, operator: { mask } }: OperatorRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    assertNotMasked(query, mask);
    const stream = await this.exports.open(query, mask, signal);
    void reply
      .header('content-type', FORMATS[query.format].contentType)
      .header('content-disposition', `attachment; filename="entities.${query.format}"`)
      .header('x-content-type-options', 'nosniff');
    await reply.send(method === 'HEAD' ? undefined : stream());
  }

  @Get('entities/changes')
  @Access('read')
  @Expensive()
  @Returns(200, contract.changedEntities, 'The entities that differ between two points in time')
  @Fails('as_of_before_horizon', 'filter_invalid', 'payload_masked')
  async listChangedEntities(
    @Query({ schema: contract.changedEntitiesQuery }) query: contract.ChangedEntitiesQuery,
    @Caller() { mask }: Operator,
    @DisconnectSignal() signal: RequestSignal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    assertNotMasked(query, mask);
    await sendJson(reply, await this.changed.find(query, mask, signal));
  }

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
