import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { pageOf, pageQuery, type Page, type PageQuery } from '../../contract/page';
import {
  token,
  tokenCreate,
  tokenCreated,
  type Token,
  type TokenCreate,
  type TokenCreated,
} from '../../contract/token';
import { Access } from '../access/access.decorator';
import { Answers } from '../http/responses';
import { TokensService } from '../access/tokens.service';

/** API tokens: for scripts, the CI, a laptop that listens. */
@Controller('api/v1/tokens')
export class TokensController {
  constructor(private readonly tokens: TokensService) {}

  @Get()
  @Access('admin')
  @Answers(200, pageOf(token), 'API tokens, newest first')
  listTokens(@Query({ schema: pageQuery }) wanted: PageQuery): Page<Token> {
    return this.tokens.list(wanted);
  }

  @Post()
  @Access('admin', 'token.create', { showsSecret: true })
  @Answers(201, tokenCreated, 'The token, with its secret: it is not shown again')
  createToken(@Body({ schema: tokenCreate }) wanted: TokenCreate): Promise<TokenCreated> {
    return this.tokens.create(wanted);
  }

  @Delete(':id')
  @Access('admin', 'token.revoke')
  @HttpCode(204)
  @Answers(204, null, 'Revoked: it is refused from now on, and its sockets are closed')
  revokeToken(@Param('id') id: string): Promise<void> {
    return this.tokens.revoke(id);
  }
}
