import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import * as contract from '../../../contract/duplicate';
import { pageOf, type Page } from '../../../contract/page';
import { Access } from '../../access/access.decorator';
import type { RequestSignal } from '../../database/reading/reader';
import { DuplicatesService } from '../../events/duplicates.service';
import { DisconnectSignal, Expensive } from '../route-decorators';
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
  listDuplicates(
    @Query({ schema: contract.duplicateQuery }) query: contract.DuplicateQuery,
    @DisconnectSignal() signal: RequestSignal,
  ): Promise<Page<contract.Duplicate>> {
    return this.duplicates.list(query, signal);
  }

  @Post(':id/release')
  @Access('operate', 'duplicate.release')
  @Returns(202, contract.duplicateRelease, 'The duplicate and its deliveries to the matching targets')
  @Fails('no_target', 'duplicate_settled')
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
