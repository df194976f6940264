import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import type { z } from 'zod';
import { pageOf, pageQuery, type Page } from '../../contract/page';
import {
  token,
  tokenCreate,
  tokenCreated,
  type Token,
  type TokenCreate,
  type TokenCreated,
} from '../../contract/token';
import { TokensService } from './tokens.service';

/** API tokens: for scripts, the CI, a laptop that listens. */
@Controller('api/v1/tokens')
export class TokensController {
  constructor(private readonly tokens: TokensService) {}

  @Get()
  @ApiResponse({ status: 200, description: 'API tokens, newest first', standardSchema: pageOf(token) })
  list(@Query({ schema: pageQuery }) { limit, cursor }: z.infer<typeof pageQuery>): Page<Token> {
    return this.tokens.list(limit, cursor);
  }

  @Post()
  @ApiResponse({
    status: 201,
    description: 'The token, with its secret: it is not shown again',
    standardSchema: tokenCreated,
  })
  create(@Body({ schema: tokenCreate }) wanted: TokenCreate): Promise<TokenCreated> {
    return this.tokens.create(wanted);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiResponse({ status: 204, description: 'Revoked: it is refused from now on, and its sockets are closed' })
  revoke(@Param('id') id: string): Promise<void> {
    return this.tokens.revoke(id);
  }
}
