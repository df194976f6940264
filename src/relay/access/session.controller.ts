import { Body, Controller, Delete, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { session as sessionSchema, sessionCreate, type Session } from '../../contract/session';
import { Answers } from '../api/answers';
import { Act, during } from '../current-act';
import { RelayError } from '../relay-error';
import { ClientAddress } from '../settings/client-address';
import { Settings } from '../settings/settings';
import { AdminToken } from './admin-token';
import { LoginAttempts } from './login-attempts';
import { Open } from './open.decorator';
import type { Operator, OperatorRequest } from './operator';
import { ALL_SCOPES } from './scopes';
import { SessionCookie } from './session-cookie';
import { sessionName, SessionsService } from './sessions.service';

/** The dashboard's own login: who is in, coming in with the admin token, going out. */
@Controller('api/v1/session')
export class SessionController {
  constructor(
    private readonly adminToken: AdminToken,
    private readonly attempts: LoginAttempts,
    private readonly sessions: SessionsService,
    private readonly cookie: SessionCookie,
    private readonly settings: Settings,
    private readonly client: ClientAddress,
  ) {}

  @Get()
  @Answers(200, sessionSchema, 'Who is asking')
  getSession(@Req() { operator }: OperatorRequest): Session {
    return this.present(operator);
  }

  /** @throws RelayError `token_refused`, 401, and for more than ten of these in a minute `too_many_attempts`, 429 */
  @Open()
  @Post()
  @Answers(201, sessionSchema, 'Logged in, by a cookie')
  async openSession(
    @Body({ schema: sessionCreate }) { token }: z.infer<typeof sessionCreate>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Session> {
    const address = this.client.of(request);
    if (!this.adminToken.matches(token)) {
      const refusal = new RelayError('token_refused', 401, 'This is not the admin token.', {
        remedy: 'It is in DATA_DIR/admin.token, or in SWITCHBOARD_ADMIN_TOKEN where that is set.',
      });
      throw this.attempts.refuse(address, 'token', refusal);
    }
    this.attempts.succeeded(address);
    const actor = { kind: 'admin_token' as const, id: null, name: null };
    const act = new Act({ actor, action: 'session.open', address });
    const session = await during(act, () => this.sessions.open('token'));
    reply.header('set-cookie', this.cookie.toSet(session.token));
    return this.present({ via: 'session', name: null, scopes: ALL_SCOPES, expiresAt: session.expiresAt });
  }

  /** Ends the session that asks; a token has none to end. */
  @Delete()
  @HttpCode(204)
  async closeSession(
    @Req() request: OperatorRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const { via, credentialId } = request.operator;
    if (via !== 'session' || credentialId === null) return;
    const actor = { kind: 'session' as const, id: sessionName(credentialId), name: null };
    const act = new Act({ actor, action: 'session.close', address: this.client.of(request) });
    await during(act, () => this.sessions.revoke(credentialId));
    reply.header('set-cookie', this.cookie.toClear());
  }

  private present({ via, name, scopes, expiresAt }: Omit<Operator, 'credentialId'>): Session {
    const expires = expiresAt === null ? null : new Date(expiresAt).toISOString();
    const { isSandbox } = this.settings.copilot;
    return { via, name, scopes: [...scopes], expires_at: expires, sandbox: isSandbox };
  }
}
