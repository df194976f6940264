import { Controller, Get, Header } from '@nestjs/common';
import { Access } from '../../access/access.decorator';
import { Undocumented } from '../../http/responses';
import { OpenApi } from './openapi';

@Undocumented()
@Controller('api/v1')
export class OpenApiController {
  constructor(private readonly document: OpenApi) {}

  @Get('openapi.json')
  @Access(null)
  @Header('content-type', 'application/json; charset=utf-8')
  getDocument(): string {
    return this.document.text;
  }
}
