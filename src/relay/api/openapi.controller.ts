import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { OpenApi } from './openapi';

@ApiExcludeController()
@Controller('api/v1')
export class OpenApiController {
  constructor(private readonly document: OpenApi) {}

  @Get('openapi.json')
  @Header('content-type', 'application/json; charset=utf-8')
  show(): string {
    return this.document.text;
  }
}
