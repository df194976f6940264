import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  duplicate,
  duplicateQuery,
  duplicateRelease,
  type Duplicate,
  type DuplicateQuery,
  type DuplicateRelease,
} from '../../../contract/duplicate';
import { pageOf, type Page } from '../../../contract/page';
import { Access } from '../../access/access.decorator';
import type { RequestSignal } from '../../database/reading/reader';
import { DuplicatesService } from '../../events/duplicates.service';
import { DisconnectSignal } from '../decorators/disconnect-signal.decorator';
import { Returns } from '../../http/responses';
import { Expensive } from '../decorators/expensive.decorator';

@Controller('api/v1/duplicates')
export class DuplicatesController {
  constructor(private readonly duplicates: DuplicatesService) {}

  @Get()
  @Access('read')
  @Expensive()
  @Returns(200, pageOf(duplicate), 'Duplicate notifications with the event they repeat, newest first')
  listDuplicates(
    @Query({ schema: duplicateQuery }) query: DuplicateQuery,
    @DisconnectSignal() signal: RequestSignal,
  ): Promise<Page<Duplicate>> {
    return this.duplicates.list(query, signal);
  }

  @Post(':id/release')
  @Access('operate', 'duplicate.release')
  @HttpCode(202)
  @Returns(202, duplicateRelease, 'The duplicate and its deliveries to the matching targets')
  releaseDuplicate(@Param('id') id: string): Promise<DuplicateRelease> {
    return this.duplicates.release(id);
  }

  @Post(':id/dismiss')
  @Access('operate', 'duplicate.dismiss')
  @HttpCode(200)
  @Returns(200, duplicate, 'The dismissed duplicate, which is not delivered')
  dismissDuplicate(@Param('id') id: string): Promise<Duplicate> {
    return this.duplicates.dismiss(id);
  }
}
