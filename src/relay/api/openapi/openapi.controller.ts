import { Controller, Get, Header, Req, Res } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Access, Open } from '../../access/access.decorator';
import { AccessService } from '../../access/access.service';
import { RelayError } from '../../ground/relay-error';
import { PAGE_POLICY } from '../../http/html-page';
import { Undocumented } from '../../http/responses';
import { apiPage } from '../pages/api-page';
import { OpenApi } from './openapi';

const PAGE_PATH = 'docs/api';

@Undocumented()
@Controller()
export class OpenApiController {
  private page: string | null = null;

  constructor(
    private readonly document: OpenApi,
    private readonly access: AccessService,
  ) {}

  @Get('api/v1/openapi.json')
  @Access(null)
  @Header('content-type', 'application/json; charset=utf-8')
  getDocument(): string {
    return this.document.text;
  }

  /** The same as a page. A browser that follows a link sends only the cookie, which says who is logged in. */
  @Open()
  @Get(PAGE_PATH)
  async getPage(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const isKnown =
      this.access.identify(request.raw) !== null ||
      !((await this.access.admit(request.raw, 'read')) instanceof RelayError);
    if (!isKnown)
      return void (await reply.redirect(`/sign-in?next=${encodeURIComponent(`/${PAGE_PATH}`)}`, 302));
    this.page ??= apiPage(JSON.parse(this.document.text) as OpenAPIObject);
    await reply
      .header('content-security-policy', PAGE_POLICY)
      .type('text/html; charset=utf-8')
      .send(this.page);
  }
}
