import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  duplicate,
  duplicateQuery,
  duplicateRelease,
  type Duplicate,
  type DuplicateQuery,
  type DuplicateRelease,
} from '../../contract/duplicate';
import { pageOf, type Page } from '../../contract/page';
import { Access } from '../access/access.decorator';
import type { RequestSignal } from '../database/reader';
import { Duplicates } from '../events/duplicates';
import { Abandoned } from './abandoned.decorator';
import { Answers } from '../http/responses';
import { Expensive } from './expensive.decorator';

@Controller('api/v1/duplicates')
export class DuplicatesController {
  constructor(private readonly duplicates: Duplicates) {}

  @Get()
  @Access('read')
  @Expensive()
  @Answers(200, pageOf(duplicate), 'Notifications that came again, each beside its first, newest first')
  listDuplicates(
    @Query({ schema: duplicateQuery }) query: DuplicateQuery,
    @Abandoned() signal: RequestSignal,
  ): Promise<Page<Duplicate>> {
    return this.duplicates.list(query, signal);
  }

  @Post(':id/release')
  @Access('operate', 'duplicate.release')
  @HttpCode(202)
  @Answers(202, duplicateRelease, 'The duplicate and its deliveries, to the targets that accept it')
  releaseDuplicate(@Param('id') id: string): Promise<DuplicateRelease> {
    return this.duplicates.release(id);
  }

  @Post(':id/dismiss')
  @Access('operate', 'duplicate.dismiss')
  @HttpCode(200)
  @Answers(200, duplicate, 'The duplicate: it is not delivered')
  dismissDuplicate(@Param('id') id: string): Promise<Duplicate> {
    return this.duplicates.dismiss(id);
  }
}
