import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_SECRET_KEY } from '../../contract/session';
import { Undocumented } from '../http/responses';
import { AuditedAction, runAudited } from '../ground/audit-context';
import { ClientAddress } from '../settings/client-address';
import { acceptNext } from '../access/accept-next';
import { LoginAttempts } from '../access/login-attempts';
import { LoginLinksService } from '../access/login-links.service';
import { loginPage } from '../access/login-page';
import { Open } from '../access/access.decorator';
import { literal, scriptPage, type ScriptPage } from '../access/script-page';
import { SessionCookie } from '../access/session-cookie';
import { SessionsService } from '../access/sessions.service';

/** A browser that fetches ahead of the click says so in one of these. */
const AHEAD_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];

/** Where login links lead. */
@Undocumented()
@Controller('login')
export class LoginController {
  constructor(
    private readonly links: LoginLinksService,
    private readonly sessions: SessionsService,
    private readonly cookie: SessionCookie,
    private readonly client: ClientAddress,
    private readonly attempts: LoginAttempts,
  ) {}

  /** Only a visit uses the link up: Fastify answers HEAD with this route too, and browsers look ahead. */
  @Open()
  @Get()
  async login(
    @Query('token') token: unknown,
    @Query('next') next: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (request.method !== 'GET' || AHEAD_HEADERS.some((name) => request.headers[name] !== undefined)) {
      const status = request.method === 'GET' ? 503 : 200;
      return sendPage(reply, status, 'Login link', 'Open this link in a browser to log in. It works once.');
    }
    if (typeof token !== 'string' || token === '') {
      return sendPage(reply, 400, 'Incomplete link', 'The link is cut off: its token is missing.');
    }
    const address = this.client.of(request);
    const credential = await this.links.redeem(token);
    if (credential === null) {
      this.attempts.logFailure(address, 'link');
      return sendPage(
        reply,
        410,
        'Link used up',
        'A login link works once and for 15 minutes; this one no longer does.',
      );
    }
    const actor = { kind: 'login_link' as const, id: null, name: null };
    const act = new AuditedAction({ actor, action: 'session.open', address });
    const userAgent = request.headers['user-agent'];
    const { token: value, secret } = await runAudited(act, () =>
      this.sessions.open({ credential, openedBy: 'login_link', address, userAgent }),
    );
    const { html, policy } = handOverPage(secret, acceptNext(next));
    await reply
      .header('set-cookie', this.cookie.toSet(value))
      .header('content-security-policy', policy)
      .type('text/html; charset=utf-8')
      .send(html);
  }
}

/** Puts the second half of the session where pages of ours find it, and leads on; neither an address nor the history has seen it. */
const handOverPage = (secret: string, next: string): ScriptPage =>
  scriptPage(
    'Signing in',
    `localStorage.setItem(${literal(SESSION_SECRET_KEY)}, ${literal(secret)}); location.replace(${literal(next)});`,
  );

async function sendPage(reply: FastifyReply, status: number, heading: string, text: string): Promise<void> {
  await reply.code(status).type('text/html; charset=utf-8').send(loginPage(heading, text));
}
