import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { pageOf, pageQuery, type Page, type PageQuery } from '../../../contract/page';
import * as contract from '../../../contract/token';
import { Access } from '../../access/access.decorator';
import { Fails, Returns } from '../../http/responses';
import { TokensService } from '../../access/tokens.service';

/** API tokens, such as for scripts, CI or a laptop that follows events. */
@Controller('api/v1/tokens')
export class TokensController {
  constructor(private readonly tokens: TokensService) {}

  @Get()
  @Access('admin')
  @Returns(200, pageOf(contract.token), 'API tokens, newest first')
  listTokens(@Query({ schema: pageQuery }) query: PageQuery): Page<contract.Token> {
    return this.tokens.list(query);
  }

  @Post()
  @Access('admin', 'token.create', { showsSecret: true })
  @Returns(201, contract.tokenCreated, 'The token with its secret, which is not shown again')
  @Fails('token_expiry_past', 'too_many_tokens')
  createToken(
    @Body({ schema: contract.tokenCreate }) input: contract.TokenCreate,
  ): Promise<contract.TokenCreated> {
    return this.tokens.create(input);
  }

  @Delete(':id')
  @Access('admin', 'token.revoke')
  @Returns(204, null, 'Revoked: it is no longer accepted, and its sockets are closed')
  revokeToken(@Param('id') id: string): Promise<void> {
    return this.tokens.revoke(id);
  }
}
