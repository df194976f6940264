import { Body, Controller, Delete, Get, Param, Patch, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import * as contract from '../../../contract/payload-type';
import { Access } from '../../access/access.decorator';
import type { Operator } from '../../access/operator';
import { Fails, Returns, Sends } from '../../http/responses';
import { PayloadSchemasService } from '../../payload-schemas/payload-schemas.service';
import { Caller, Expensive } from '../route-decorators';

/** Of each format of exports. */
const FILES: Record<contract.PayloadTypeQuery['format'], { contentType: string; file: string }> = {
  typescript: { contentType: 'text/plain; charset=utf-8', file: 'events.ts' },
  json_schema: { contentType: 'application/schema+json', file: 'events.schema.json' },
  asyncapi: { contentType: 'application/vnd.aai.asyncapi+json;version=3.0.0', file: 'events.asyncapi.json' },
};

@Controller('api/v1/types')
export class TypesController {
  constructor(private readonly schemas: PayloadSchemasService) {}

  @Get()
  @Access('read')
  @Expensive()
  @Returns(200, contract.payloadTypes, 'The event types whose payloads were examined')
  listTypes(): contract.PayloadTypes {
    return this.schemas.list();
  }

  @Get('export')
  @Access('read')
  @Expensive()
  @Sends(
    200,
    'The schemas of the types; the same schemas give the same bytes',
    ...Object.values(FILES).map(({ contentType }) => contentType.replace(/;.*/, '')),
  )
  async exportTypes(
    @Query({ schema: contract.payloadTypeQuery }) query: contract.PayloadTypeQuery,
    @Caller() { mask }: Operator,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { contentType, file } = FILES[query.format];
    await reply
      .header('content-type', contentType)
      .header('content-disposition', `attachment; filename="${file}"`)
      .header('x-content-type-options', 'nosniff')
      .send(this.schemas.export(query, mask));
  }

  @Get(':type')
  @Access('read')
  @Expensive()
  @Returns(200, contract.payloadType, 'What the payloads of one event type look like')
  @Fails('type_unknown', 'version_unknown')
  getType(
    @Param('type') type: string,
    @Query({ schema: contract.payloadVersionQuery }) { version }: contract.PayloadVersionQuery,
    @Caller() { mask }: Operator,
  ): Promise<contract.PayloadType> {
    return this.schemas.get(type, mask, version);
  }

  @Get(':type/versions')
  @Access('read')
  @Returns(200, contract.payloadTypeVersions, 'How the payloads of one event type have changed')
  @Fails('type_unknown')
  listTypeVersions(
    @Param('type') type: string,
    @Caller() { mask }: Operator,
  ): Promise<contract.PayloadTypeVersions> {
    return this.schemas.listVersions(type, mask);
  }

  @Patch(':type')
  @Access('operate', 'payload_type.change')
  @Returns(200, contract.payloadType, 'The type, learned with these overrides from now on')
  @Fails('type_unknown', 'overrides_invalid')
  changeType(
    @Param('type') type: string,
    @Body({ schema: contract.payloadOverridesChange }) changes: contract.PayloadOverridesChange,
  ): Promise<contract.PayloadType> {
    return this.schemas.override(type, changes);
  }

  @Delete(':type')
  @Access('operate', 'payload_type.remove')
  @Returns(204, null, 'The type is forgotten with its versions, and learned anew from the events to come')
  @Fails('type_unknown')
  removeType(@Param('type') type: string): Promise<void> {
    return this.schemas.remove(type);
  }

  @Post(':type/accept')
  @Access('operate', 'payload_type.accept')
  @Returns(200, contract.payloadType, 'The type, with its newest version accepted')
  @Fails('type_unknown')
  acceptType(@Param('type') type: string): Promise<contract.PayloadType> {
    return this.schemas.accept(type);
  }
}
