import { Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import { pageQuery } from '../../contract/page';
import {
  recheckOutcome,
  rejectionPage,
  type RecheckOutcome,
  type RejectionPage,
} from '../../contract/rejection';
import { Access } from '../access/access.decorator';
import type { RequestSignal } from '../database/reader';
import { FindRejections } from '../intake/find-rejections';
import { Recheck } from '../intake/recheck';
import { Abandoned } from './abandoned.decorator';
import { Answers } from '../http/responses';
import { Expensive } from './expensive.decorator';

@Controller('api/v1/rejections')
export class RejectionsController {
  constructor(
    private readonly finder: FindRejections,
    private readonly rechecks: Recheck,
  ) {}

  @Get()
  @Access('read')
  @Expensive()
  @Answers(
    200,
    rejectionPage,
    'Notifications that no signature fitted, newest first, and how many were dropped',
  )
  listRejections(
    @Query({ schema: pageQuery }) { limit, cursor }: z.infer<typeof pageQuery>,
    @Abandoned() signal: RequestSignal,
  ): Promise<RejectionPage> {
    return this.finder.list(limit, cursor, signal);
  }

  /** Nobody vouches for what is in it, nor for the type that it was sent under: a browser is to download it. */
  @Get(':id/body')
  @Access('read')
  @Expensive()
  @Answers(200, null, 'The bytes as they were received')
  async getRejectionBody(
    @Param('id') id: string,
    @Abandoned() signal: RequestSignal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const body = await this.finder.body(id, signal);
    await reply
      .header('content-type', 'application/octet-stream')
      .header('content-disposition', `attachment; filename="${id}.body"`)
      .header('x-content-type-options', 'nosniff')
      .send(body);
  }

  @Post(':id/recheck')
  @Access('operate', 'rejection.recheck')
  @HttpCode(200)
  @Answers(200, recheckOutcome, 'Verified again; what fits now is stored as an event')
  recheckRejection(@Param('id') id: string): Promise<RecheckOutcome> {
    return this.rechecks.recheck(id);
  }
}
