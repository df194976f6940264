import { Controller, Delete, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { pageOf, pageQuery, type Page, type PageQuery } from '../../../contract/page';
import { openSession, type OpenSession } from '../../../contract/session';
import { Access } from '../../access/access.decorator';
import { Returns } from '../../http/responses';
import { Credentials } from '../../access/credentials';
import type { OperatorRequest } from '../../access/operator';
import { pageOfList } from '../../access/page-of-list';
import { SessionCookie } from '../../access/session-cookie';
import { type SessionRecord, SessionsService } from '../../access/sessions.service';

/** The active sessions. */
@Controller('api/v1/sessions')
export class SessionsController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly credentials: Credentials,
    private readonly cookie: SessionCookie,
  ) {}

  @Get()
  @Access('admin')
  @Returns(200, pageOf(openSession), 'Active sessions, newest first')
  listSessions(
    @Query({ schema: pageQuery }) query: PageQuery,
    @Req() { operator }: OperatorRequest,
  ): Page<OpenSession> {
    const { data, next_cursor } = pageOfList(this.sessions.list(), query);
    return { data: data.map((session) => this.present(session, operator.credentialId)), next_cursor };
  }

  @Delete(':id')
  @Access('admin', 'session.revoke')
  @Returns(204, null, 'Ended: it is no longer accepted, and its sockets are closed')
  async revokeSession(
    @Param('id') id: string,
    @Req() { operator }: OperatorRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await this.sessions.revoke(id);
    if (id === operator.credentialId) reply.header('set-cookie', this.cookie.serializeExpired());
  }

  @Delete()
  @Access('admin', 'session.revoke_all')
  @Returns(204, null, 'All sessions ended, including the current one')
  async revokeSessions(@Res({ passthrough: true }) reply: FastifyReply): Promise<void> {
    await this.sessions.revokeAll();
    reply.header('set-cookie', this.cookie.serializeExpired());
  }

  private present(session: SessionRecord, currentId: string | null): OpenSession {
    return {
      id: session.id,
      opened_by: session.openedBy,
      token: this.credentials.apiTokenOf(session.credential),
      created_at: new Date(session.createdAt).toISOString(),
      last_used_at: new Date(session.lastUsedAt).toISOString(),
      expires_at: new Date(this.sessions.expiryOf(session)).toISOString(),
      address: session.address,
      user_agent: session.userAgent,
      current: session.id === currentId,
    };
  }
}
