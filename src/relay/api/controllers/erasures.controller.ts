import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import * as contract from '../../../contract/erasure';
import { pageOf, pageQuery, type Page, type PageQuery } from '../../../contract/page';
import { Access } from '../../access/access.decorator';
import type { RequestSignal } from '../../database/reading/reader';
import { ErasuresService } from '../../erasures/erasures.service';
import { Fails, Returns } from '../../http/responses';
import { DisconnectSignal, Expensive } from '../route-decorators';

@Controller('api/v1/erasures')
export class ErasuresController {
  constructor(private readonly erasures: ErasuresService) {}

  @Get()
  @Access('admin')
  @Returns(200, pageOf(contract.erasure), 'What was erased, newest first')
  listErasures(@Query({ schema: pageQuery }) query: PageQuery): Promise<Page<contract.Erasure>> {
    return this.erasures.list(query);
  }

  @Post('preview')
  @Access('admin')
  @Expensive()
  @Returns(200, contract.erasurePreview, 'What an erasure would erase')
  @Fails('event_unknown', 'event_erased', 'filter_invalid')
  previewErasure(
    @Body({ schema: contract.erasurePreviewQuery }) query: contract.ErasurePreviewQuery,
    @DisconnectSignal() signal: RequestSignal,
  ): Promise<contract.ErasurePreview> {
    return this.erasures.preview(query, signal);
  }

  @Post()
  @Access('admin', 'event.erase')
  @Returns(202, contract.erasure, 'The erasure that was started; GET shows its progress')
  @Fails('event_unknown', 'event_erased', 'filter_invalid')
  startErasure(
    @Body({ schema: contract.erasureCreate }) input: contract.ErasureCreate,
  ): Promise<contract.Erasure> {
    return this.erasures.start(input);
  }

  @Get(':id')
  @Access('admin')
  @Returns(200, contract.erasure, 'One erasure with its progress')
  getErasure(@Param('id') id: string): Promise<contract.Erasure> {
    return this.erasures.get(id);
  }
}
