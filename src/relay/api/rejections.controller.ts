import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import type { z } from 'zod';
import { pageOf, pageQuery, type Page } from '../../contract/page';
import { recheckOutcome, rejection, type RecheckOutcome, type Rejection } from '../../contract/rejection';
import { Quarantine } from '../intake/quarantine';
import { Recheck } from '../intake/recheck';
import { Answers } from './answers';

@Controller('api/v1/rejections')
export class RejectionsController {
  constructor(
    private readonly quarantine: Quarantine,
    private readonly rechecks: Recheck,
  ) {}

  @Get()
  @Answers(200, pageOf(rejection), 'Notifications that no signature fitted, newest first')
  listRejections(@Query({ schema: pageQuery }) query: z.infer<typeof pageQuery>): Promise<Page<Rejection>> {
    return this.quarantine.list(query.limit, query.cursor);
  }

  @Post(':id/recheck')
  @HttpCode(200)
  @Answers(200, recheckOutcome, 'Verified again; what fits now is stored as an event')
  recheckRejection(@Param('id') id: string): Promise<RecheckOutcome> {
    return this.rechecks.recheck(id);
  }
}
