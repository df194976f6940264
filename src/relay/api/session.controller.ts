import { Body, Controller, Delete, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import {
  session as sessionSchema,
  sessionCreate,
  sessionOpened,
  type Session,
  type SessionOpened,
} from '../../contract/session';
import { Answers } from '../http/responses';
import { AuditedAction, runAudited } from '../ground/audit-context';
import { RelayError } from '../ground/relay-error';
import { ClientAddress } from '../settings/client-address';
import { Settings } from '../settings/settings';
import { AdminToken } from '../access/admin-token';
import { Credentials } from '../access/credentials';
import { LoginAttempts } from '../access/login-attempts';
import { Access, Open } from '../access/access.decorator';
import type { Operator, OperatorRequest } from '../access/operator';
import { ALL_SCOPES } from '../access/scopes';
import { SessionCookie } from '../access/session-cookie';
import { SessionsService } from '../access/sessions.service';

/** The dashboard's own login: who is in, coming in with the admin token, going out. */
@Controller('api/v1/session')
export class SessionController {
  constructor(
    private readonly adminToken: AdminToken,
    private readonly attempts: LoginAttempts,
    private readonly credentials: Credentials,
    private readonly sessions: SessionsService,
    private readonly cookie: SessionCookie,
    private readonly settings: Settings,
    private readonly client: ClientAddress,
  ) {}

  @Get()
  @Access(null)
  @Answers(200, sessionSchema, 'Who is asking')
  getSession(@Req() { operator }: OperatorRequest): Session {
    return this.present(operator);
  }

  /** @throws RelayError `token_refused`, 401, and for more than ten of these in a minute `too_many_attempts`, 429 */
  @Open()
  @Post()
  @Answers(201, sessionOpened, 'Logged in, by a cookie and a secret: this is not shown again')
  async openSession(
    @Body({ schema: sessionCreate }) { token }: z.infer<typeof sessionCreate>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionOpened> {
    const address = this.client.of(request);
    if (!this.adminToken.matches(token)) {
      const refusal = new RelayError('token_refused', 401, 'This is not the admin token.', {
        remedy: 'It is in DATA_DIR/admin.token, or in SWITCHBOARD_ADMIN_TOKEN where that is set.',
      });
      throw this.attempts.refuse(address, 'token', refusal);
    }
    this.attempts.succeeded(address);
    const actor = { kind: 'admin_token' as const, id: null, name: null };
    const act = new AuditedAction({ actor, action: 'session.open', address });
    const credential = this.credentials.admin;
    const userAgent = request.headers['user-agent'];
    const { expiresAt, ...halves } = await runAudited(act, () =>
      this.sessions.open({ credential, openedBy: 'admin_token', address, userAgent }),
    );
    reply.header('set-cookie', this.cookie.toSet(halves.token));
    const operator = { via: 'session', name: null, scopes: ALL_SCOPES, expiresAt } as const;
    return { ...this.present(operator), secret: halves.secret };
  }

  /** Ends the session that asks; a token has none to end. */
  @Delete()
  @Access(null)
  @HttpCode(204)
  async closeSession(
    @Req() request: OperatorRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const { via, credentialId } = request.operator;
    if (via !== 'session' || credentialId === null) return;
    const actor = { kind: 'session' as const, id: credentialId, name: null };
    const act = new AuditedAction({ actor, action: 'session.close', address: this.client.of(request) });
    await runAudited(act, () => this.sessions.revoke(credentialId));
    reply.header('set-cookie', this.cookie.toClear());
  }

  private present({ via, name, scopes, expiresAt }: Omit<Operator, 'credentialId'>): Session {
    const expires = expiresAt === null ? null : new Date(expiresAt).toISOString();
    const { isSandbox } = this.settings.copilot;
    return { via, name, scopes: [...scopes], expires_at: expires, sandbox: isSandbox };
  }
}
