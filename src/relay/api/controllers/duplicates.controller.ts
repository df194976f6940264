import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import * as contract from '../../../contract/duplicate';
import { pageOf, type Page } from '../../../contract/page';
import { Access } from '../../access/access.decorator';
import type { Operator } from '../../access/operator';
import type { RequestSignal } from '../../database/reading/reader';
import { DuplicatesService } from '../../events/duplicates.service';
import { maskEvent } from '../../events/mask-event';
import { Caller, DisconnectSignal, Expensive } from '../route-decorators';
import { Fails, Returns } from '../../http/responses';

@Controller('api/v1/duplicates')
export class DuplicatesController {
  constructor(private readonly duplicates: DuplicatesService) {}

  @Get()
  @Access('read')
  @Expensive()
  @Returns(
    200,
    pageOf(contract.duplicate),
    'Duplicate notifications with the event they repeat, newest first',
  )
  async listDuplicates(
    @Query({ schema: contract.duplicateQuery }) query: contract.DuplicateQuery,
    @DisconnectSignal() signal: RequestSignal,
    @Caller() { mask }: Operator,
  ): Promise<Page<contract.Duplicate>> {
    const page = await this.duplicates.list(query, signal);
    return { ...page, data: page.data.map((one) => ({ ...one, first: maskEvent(one.first, mask) })) };
  }

  @Post(':id/release')
  @Access('operate', 'duplicate.release')
  @Returns(202, contract.duplicateRelease, 'The duplicate and its deliveries to the matching targets')
  @Fails('no_target', 'duplicate_settled', 'event_erased')
  releaseDuplicate(@Param('id') id: string): Promise<contract.DuplicateRelease> {
    return this.duplicates.release(id);
  }

  @Post(':id/dismiss')
  @Access('operate', 'duplicate.dismiss')
  @Returns(200, contract.duplicate, 'The dismissed duplicate, which is not delivered')
  @Fails('duplicate_settled')
  dismissDuplicate(@Param('id') id: string): Promise<contract.Duplicate> {
    return this.duplicates.dismiss(id);
  }
}
