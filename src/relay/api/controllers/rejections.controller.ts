import { Controller, Delete, Get, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { pageQuery, type PageQuery } from '../../../contract/page';
import * as contract from '../../../contract/rejection';
import { Access } from '../../access/access.decorator';
import type { Operator } from '../../access/operator';
import type { RequestSignal } from '../../database/reading/reader';
import { payloadMasked } from '../../filters/masked-filter';
import { FindRejectionsQuery, rejectionUnknown } from '../../intake/find-rejections.query';
import { QuarantineStore } from '../../intake/quarantine.store';
import { RecheckService } from '../../intake/recheck.service';
import { Caller, DisconnectSignal, Expensive } from '../route-decorators';
import { sendBytes } from '../send-bytes';
import { Fails, Returns, Sends } from '../../http/responses';

@Controller('api/v1/rejections')
export class RejectionsController {
  constructor(
    private readonly finder: FindRejectionsQuery,
    private readonly rechecks: RecheckService,
    private readonly quarantine: QuarantineStore,
  ) {}

  @Get()
  @Access('read')
  @Expensive()
  @Returns(
    200,
    contract.rejectionPage,
    'Quarantined notifications, whose signature did not match, newest first, and how many were dropped',
  )
  listRejections(
    @Query({ schema: pageQuery }) { limit, cursor }: PageQuery,
    @DisconnectSignal() signal: RequestSignal,
  ): Promise<contract.RejectionPage> {
    return this.finder.list(limit, cursor, signal);
  }

  /** Neither content nor content type is trusted: browsers must download it. */
  @Get(':id/body')
  @Access('read')
  @Expensive()
  @Sends(200, 'The bytes as they were received', 'application/octet-stream')
  @Fails('payload_masked')
  async getRejectionBody(
    @Param('id') id: string,
    @DisconnectSignal() signal: RequestSignal,
    @Caller() { mask }: Operator,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (mask !== null) throw payloadMasked('What is quarantined may contain values that are masked.');
    const body = await this.finder.body(id, signal);
    await sendBytes(reply, { name: id, body, contentType: null });
  }

  @Post(':id/recheck')
  @Access('operate', 'rejection.recheck')
  @Returns(
    200,
    contract.recheckOutcome,
    'The result of verifying it again; stored as an event if the signature matches now',
  )
  @Fails('not_stored')
  recheckRejection(@Param('id') id: string): Promise<contract.RecheckOutcome> {
    return this.rechecks.recheck(id);
  }

  @Delete(':id')
  @Access('operate', 'rejection.delete')
  @Returns(204, null, 'Deleted: neither its body nor its headers are kept')
  async deleteRejection(@Param('id') id: string): Promise<void> {
    if (!(await this.quarantine.remove(id))) throw rejectionUnknown(id);
  }
}
