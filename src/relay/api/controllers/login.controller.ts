import { SESSION_SECRET_KEY } from '../../../contract/constants';
import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Undocumented } from '../../http/responses';
import { AuditedAction, runAudited } from '../../ground/audit-context';
import { ClientAddress } from '../../settings/client-address';
import { AllowedHosts } from '../../access/allowed-hosts';
import { LoginAttempts } from '../../access/login-attempts';
import { LoginLinksService } from '../../access/login-links.service';
import { loginPage } from '../pages/login-page';
import { PublicAddress } from '../../settings/public-address';
import { Open } from '../../access/access.decorator';
import { literal, scriptPage, type ScriptPage } from '../pages/script-page';
import { SessionCookie } from '../../access/session-cookie';
import { SessionsService } from '../../access/sessions.service';

/** Headers of browsers that prefetch a link. */
const PREFETCH_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];

/** The target of login links. */
@Undocumented()
@Controller('login')
export class LoginController {
  constructor(
    private readonly links: LoginLinksService,
    private readonly sessions: SessionsService,
    private readonly cookie: SessionCookie,
    private readonly clientAddress: ClientAddress,
    private readonly attempts: LoginAttempts,
    private readonly hosts: AllowedHosts,
    private readonly publicAddress: PublicAddress,
  ) {}

  /** Only a real visit consumes the link: HEAD, which Fastify routes here too, and prefetches do not. */
  @Open()
  @Get()
  async login(
    @Query('token') token: unknown,
    @Query('next') next: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (request.method !== 'GET' || PREFETCH_HEADERS.some((name) => request.headers[name] !== undefined)) {
      const status = request.method === 'GET' ? 503 : 200;
      return sendPage(
        reply,
        status,
        'Login link',
        'Open this link in a browser to sign in. It works only once.',
      );
    }
    if (typeof token !== 'string' || token === '') {
      return sendPage(reply, 400, 'Incomplete link', 'The login link is incomplete: its token is missing.');
    }
    if (!this.hosts.isAllowedHost(request.headers.host)) {
      const text = `Switchboard accepts no sessions under this host name. This link was not used: open it at ${this.publicAddress.url}, its configured address (PUBLIC_URL).`;
      return sendPage(reply, 403, 'Wrong address', text, `${this.publicAddress.url}${request.url}`);
    }
    const address = this.clientAddress.of(request);
    const credential = await this.links.redeem(token);
    if (credential === null) {
      this.attempts.logFailure(address, 'link');
      return sendPage(
        reply,
        410,
        'Link no longer valid',
        'A login link works once, within 15 minutes. This one was used or has expired.',
      );
    }
    const actor = { kind: 'login_link' as const, id: null, name: null };
    const action = new AuditedAction({ actor, action: 'session.open', address });
    const userAgent = request.headers['user-agent'];
    const { token: value, secret } = await runAudited(action, () =>
      this.sessions.open({ credential, openedBy: 'login_link', address, userAgent }),
    );
    const { html, policy } = signInPage(secret, safePath(next));
    await reply
      .header('set-cookie', this.cookie.serialize(value))
      .header('content-security-policy', policy)
      .type('text/html; charset=utf-8')
      .send(html);
  }
}

/** Stores the secret half of the session for the dashboard and redirects, so that it appears in no URL or history. */
const signInPage = (secret: string, next: string): ScriptPage =>
  scriptPage(
    'Signing in',
    `localStorage.setItem(${literal(SESSION_SECRET_KEY)}, ${literal(secret)}); location.replace(${literal(next)});`,
  );

async function sendPage(
  reply: FastifyReply,
  status: number,
  ...content: Parameters<typeof loginPage>
): Promise<void> {
  await reply
    .code(status)
    .type('text/html; charset=utf-8')
    .send(loginPage(...content));
}

const PLACEHOLDER_ORIGIN = 'http://here.invalid';

/**
 * Where a login may redirect to: a path on this daemon, otherwise the front page. The path is normalized as in
 * browsers, which drop tabs and newlines, treat a backslash as a slash and resolve dot segments: `/\evil.example` and
 * `/.//evil.example` lead to another site.
 */
function safePath(next: unknown): string {
  if (typeof next !== 'string' || !/^\/(?!\/)/.test(next) || next.includes('\\')) return '/';
  if (!URL.canParse(next, PLACEHOLDER_ORIGIN)) return '/';
  const { origin, pathname, search, hash } = new URL(next, PLACEHOLDER_ORIGIN);
  if (origin !== PLACEHOLDER_ORIGIN || pathname.startsWith('//')) return '/';
  return pathname + search + hash;
}
