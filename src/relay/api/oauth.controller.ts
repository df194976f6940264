import { Controller, Get, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { REQUEST_HEADER, SESSION_SECRET_KEY } from '../../contract/session';
import { AccessService } from '../access/access.service';
import { Access, Open } from '../access/access.decorator';
import { literal, scriptPage } from '../access/script-page';
import { actorOf } from '../audit/actor-of';
import { AuditLog } from '../audit/audit-log';
import { ConnectionService } from '../connection/connection.service';
import { consentFailure, type ConsentFailureCode } from '../connection/consent-failure';
import type { AuthorizationOutcome } from '../connection/authorization-flow';
import { AuditedAction, runAudited } from '../ground/audit-context';
import { RelayError } from '../ground/relay-error';
import { ClientAddress } from '../settings/client-address';
import { ConsentCookie } from './consent-cookie';
import { consentFailurePage, PAGE_POLICY } from './consent-failure-page';

/** The two addresses of a consent: where the operator begins it, and where Co-Pilot sends the browser back (document, 5.2). */
@Controller('oauth')
export class OauthController {
  constructor(
    private readonly connection: ConnectionService,
    private readonly access: AccessService,
    private readonly cookie: ConsentCookie,
    private readonly audit: AuditLog,
    private readonly client: ClientAddress,
  ) {}

  /**
   * Sends who brings a token on to Co-Pilot at once. A browser brings no more than its cookie when it follows a link: it gets a
   * page that has the rest of the session, and asks with that.
   */
  @Open()
  @Get('connect')
  @Access('admin', 'connection.ask_consent')
  async openConsent(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (request.method !== 'GET') return void (await reply.send());
    if (request.headers.authorization === undefined && this.access.recognize(request) !== null) {
      if (isForeign(request)) throw foreignPage();
      const { html, policy } = askPage;
      await reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(html);
      return;
    }
    const operator = await this.access.admit(request, 'read', ['admin']);
    if (operator instanceof RelayError) throw operator;
    const actor = actorOf(operator, request.headers);
    const act = new AuditedAction({
      actor,
      action: 'connection.ask_consent',
      address: this.client.of(request),
    });
    const { url } = await runAudited(act, () => this.beginConsent(reply));
    await reply.redirect(url, 302);
  }

  /** For the dashboard: the address that the browser is to go to. */
  @Post('connect')
  @Access('admin', 'connection.ask_consent')
  async beginConsent(@Res({ passthrough: true }) reply: FastifyReply): Promise<{ url: string }> {
    const { url, browserSecret } = await this.connection.startAuthorization();
    reply.header('cache-control', 'no-store').header('set-cookie', this.cookie.toSet(browserSecret));
    return { url };
  }

  @Open()
  @Get('callback')
  async completeConsent(
    @Query() query: Record<string, unknown>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    // Fastify answers HEAD with this route too, and who only looks at a link shall not use its code up.
    if (request.method !== 'GET') return void (await reply.send());
    const outcome = await this.complete(query, this.cookie.read(request.headers));
    // The address of this page holds the code: it must not travel on.
    void reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
    if (outcome.status === 'connected') {
      await this.record(request);
      await reply.redirect('/connection', 302);
      return;
    }
    await reply
      .status(STATUS_OF[outcome.failure.code])
      .header('content-security-policy', PAGE_POLICY)
      .type('text/html; charset=utf-8')
      .send(consentFailurePage(outcome.failure));
  }

  /** Whoever comes back with a good code has consented; the cookie of a session makes known who it is. */
  private async record(request: FastifyRequest): Promise<void> {
    const operator = this.access.recognize(request);
    const actor =
      operator === null
        ? { kind: 'browser' as const, id: null, name: null }
        : actorOf(operator, request.headers);
    await this.audit.completed(
      new AuditedAction({ actor, action: 'connection.connect', address: this.client.of(request) }),
    );
  }

  /** A browser is shown here, so a full disk is a page too. */
  private async complete(query: unknown, browsers: readonly string[]): Promise<AuthorizationOutcome> {
    try {
      return await this.connection.completeAuthorization(query, browsers);
    } catch (error) {
      if (!(error instanceof RelayError) || error.code !== 'storage_failed') throw error;
      return { status: 'failed', failure: consentFailure('storage_failed') };
    }
  }
}

/** Whether a page of somebody else's led here (Fetch Metadata). Older browsers do not say. */
const isForeign = ({ headers }: FastifyRequest): boolean =>
  !['same-origin', 'none', undefined].includes(headers['sec-fetch-site']);

const foreignPage = () =>
  new RelayError('origin_refused', 403, 'A page of another site led here.', {
    remedy: 'Begin the consent in the dashboard, under Connection, or with `switchboard connect`.',
  });

/** Asks as the dashboard does, and goes where it is told to; without its half of the session somebody has to sign in first. */
const askPage = scriptPage(
  'Asking for consent at Co-Pilot',
  `
const secret = localStorage.getItem(${literal(SESSION_SECRET_KEY)}) ?? '';
const fail = (text) => { document.getElementById('state').textContent = text };
fetch('/oauth/connect', { method: 'POST', headers: { ${literal(REQUEST_HEADER)}: secret } }).then(async (answer) => {
  if (answer.status === 401) return location.replace('/sign-in?next=%2Fconnection');
  const { url, detail, remedy } = await answer.json();
  if (answer.ok) location.replace(url);
  else fail([detail, remedy].join(' '));
}).catch(() => fail('Switchboard does not answer. Load this page again.'));
`,
);

const STATUS_OF: Record<ConsentFailureCode, number> = {
  callback_unreadable: 400,
  state_unknown: 400,
  state_used: 400,
  state_expired: 400,
  consent_denied: 403,
  consent_failed: 400,
  code_missing: 400,
  code_refused: 502,
  client_refused: 502,
  copilot_unreachable: 502,
  exchange_interrupted: 502,
  storage_failed: 503,
};
