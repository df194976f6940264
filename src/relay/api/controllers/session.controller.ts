import { Body, Controller, Delete, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import * as contract from '../../../contract/session';
import { Fails, Returns } from '../../http/responses';
import { AuditedAction, runAudited } from '../../ground/audit-context';
import { RelayError } from '../../ground/relay-error';
import { ClientAddress } from '../../settings/client-address';
import { Settings } from '../../settings/settings';
import { AdminToken } from '../../access/admin-token';
import { AllowedHosts } from '../../access/allowed-hosts';
import { Credentials } from '../../access/credentials';
import { LoginAttempts } from '../../access/login-attempts';
import { Access, Open } from '../../access/access.decorator';
import type { Operator, OperatorRequest } from '../../access/operator';
import { ALL_SCOPES } from '../../access/scopes';
import { SessionCookie } from '../../access/session-cookie';
import { SessionsService } from '../../access/sessions.service';
import { isoOrNull } from '../../ground/iso-time';

/** The dashboard's login with the admin token, its session, and logging out. */
@Controller('api/v1/session')
export class SessionController {
  constructor(
    private readonly adminToken: AdminToken,
    private readonly hosts: AllowedHosts,
    private readonly attempts: LoginAttempts,
    private readonly credentials: Credentials,
    private readonly sessions: SessionsService,
    private readonly cookie: SessionCookie,
    private readonly settings: Settings,
    private readonly clientAddress: ClientAddress,
  ) {}

  @Get()
  @Access(null)
  @Returns(200, contract.session, 'The current session or token')
  getSession(@Req() { operator }: OperatorRequest): contract.Session {
    return this.present(operator);
  }

  /**
   * @throws RelayError `host_rejected`, 403: a session of another host name would be useless; `token_rejected`,
   *   401; after ten within a minute `too_many_attempts`, 429
   */
  @Open()
  @Post()
  @Returns(201, contract.sessionOpened, 'Logged in, with a cookie and a secret that is not shown again')
  @Fails('host_rejected', 'token_rejected', 'too_many_attempts')
  async openSession(
    @Body({ schema: contract.sessionCreate }) { token }: z.infer<typeof contract.sessionCreate>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<contract.SessionOpened> {
    const hostRejection = this.hosts.rejection(request.headers.host);
    if (hostRejection !== null) throw hostRejection;
    const address = this.clientAddress.of(request);
    if (!this.adminToken.matches(token)) {
      const error = new RelayError('token_rejected', 401, 'This is not the admin token.', {
        remedy: 'Find it in DATA_DIR/admin.token, or in SWITCHBOARD_ADMIN_TOKEN if that is set.',
      });
      throw this.attempts.reject(address, 'token', error);
    }
    this.attempts.clear(address);
    const actor = { kind: 'admin_token' as const, id: null, name: null };
    const action = new AuditedAction({ actor, action: 'session.open', address });
    const credential = this.credentials.adminCredential;
    const userAgent = request.headers['user-agent'];
    const { expiresAt, ...halves } = await runAudited(action, () =>
      this.sessions.open({ credential, openedBy: 'admin_token', address, userAgent }),
    );
    reply.header('set-cookie', this.cookie.serialize(halves.token));
    const operator = { via: 'session', name: null, scopes: ALL_SCOPES, expiresAt, mask: null } as const;
    return { ...this.present(operator), secret: halves.secret };
  }

  /** Ends the current session; does nothing for a token. */
  @Delete()
  @Access(null)
  @Returns(204, null, 'Logged out; nothing happens with a token')
  async closeSession(
    @Req() request: OperatorRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const { via, credentialId } = request.operator;
    if (via !== 'session' || credentialId === null) return;
    const actor = { kind: 'session' as const, id: credentialId, name: null };
    const action = new AuditedAction({
      actor,
      action: 'session.close',
      address: this.clientAddress.of(request),
    });
    await runAudited(action, () => this.sessions.revoke(credentialId));
    reply.header('set-cookie', this.cookie.serializeExpired());
  }

  private present(operator: Omit<Operator, 'credentialId'>): contract.Session {
    const { via, name, scopes, expiresAt, mask } = operator;
    return {
      via,
      name,
      scopes: [...scopes],
      expires_at: isoOrNull(expiresAt),
      masked: mask?.pathTexts ?? [],
      sandbox: this.settings.copilot.isSandbox,
    };
  }
}
