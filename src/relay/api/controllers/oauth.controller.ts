import { SESSION_HEADER, SESSION_SECRET_KEY } from '../../../contract/constants';
import { Controller, Get, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessService } from '../../access/access.service';
import { Access, Open } from '../../access/access.decorator';
import { literal, scriptPage } from '../pages/script-page';
import { actorOf } from '../../audit/actor-of';
import { AuditStore } from '../../audit/audit.store';
import { consentFailure, type ConsentFailureCode } from '../../connection/consent-failure';
import { AuthorizationFlow, type AuthorizationOutcome } from '../../connection/authorization-flow';
import { AuditedAction, runAudited } from '../../ground/audit-context';
import { RelayError } from '../../ground/relay-error';
import { PAGE_POLICY } from '../../http/html-page';
import { ClientAddress } from '../../settings/client-address';
import { ConsentCookie } from '../consent-cookie';
import { consentFailurePage } from '../pages/consent-failure-page';
import { Fails, Returns, Sends } from '../../http/responses';
import { consentStart } from '../../../contract/connection';

const FAILED = 'Not connected: a page that says why, and what to do';

/**
 * The routes of the consent: the operator starts it here, and Co-Pilot redirects the browser back (document, 5.2).
 */
@Controller('oauth')
export class OauthController {
  constructor(
    private readonly authorization: AuthorizationFlow,
    private readonly access: AccessService,
    private readonly cookie: ConsentCookie,
    private readonly audit: AuditStore,
    private readonly clientAddress: ClientAddress,
  ) {}

  /**
   * With a bearer token, redirects to Co-Pilot. A browser that follows a link sends only the cookie, so it gets a
   * page whose script sends the whole session.
   */
  @Open()
  @Get('connect')
  @Sends(302, 'To the consent page of Co-Pilot')
  @Sends(200, 'With a session instead of a token, a page whose script starts the consent', 'text/html')
  @Access('admin', 'connection.ask_consent')
  async openConsent(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (request.method !== 'GET') return void (await reply.send());
    if (request.headers.authorization === undefined && this.access.identify(request.raw) !== null) {
      if (isCrossSite(request)) throw crossSiteError();
      const { html, policy } = consentStartPage;
      await reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(html);
      return;
    }
    const operator = await this.access.admit(request.raw, 'read', ['admin']);
    if (operator instanceof RelayError) throw operator;
    const actor = actorOf(operator, request.headers);
    const action = new AuditedAction({
      actor,
      action: 'connection.ask_consent',
      address: this.clientAddress.of(request),
    });
    const { url } = await runAudited(action, () => this.beginConsent(reply));
    await reply.redirect(url, 302);
  }

  /**
   * For the dashboard: returns the URL to redirect the browser to.
   * @throws RelayError `copilot_unreachable`, 502: the redirect would end on an error page of the browser
   */
  @Post('connect')
  @Returns(201, consentStart, 'Where to send the browser for the consent at Co-Pilot')
  @Access('admin', 'connection.ask_consent')
  @Fails('copilot_unreachable')
  async checkAndBeginConsent(@Res({ passthrough: true }) reply: FastifyReply): Promise<{ url: string }> {
    await this.authorization.assertReachable();
    return this.beginConsent(reply);
  }

  private async beginConsent(reply: FastifyReply): Promise<{ url: string }> {
    const { url, browserSecret } = await this.authorization.start();
    reply.header('cache-control', 'no-store').header('set-cookie', this.cookie.serialize(browserSecret));
    return { url };
  }

  @Open()
  @Get('callback')
  @Sends(302, 'Connected: Co-Pilot has redirected the browser here, and it goes on to the dashboard')
  @Sends(400, FAILED, 'text/html')
  @Sends(403, FAILED, 'text/html')
  @Sends(502, FAILED, 'text/html')
  @Sends(503, FAILED, 'text/html')
  async completeConsent(
    @Query() query: Record<string, unknown>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    // Fastify routes HEAD here too; it must not consume the code.
    if (request.method !== 'GET') return void (await reply.send());
    const outcome = await this.complete(query, this.cookie.read(request.headers));
    // The URL contains the code, which must not leak through a cache or the Referer header.
    void reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
    if (outcome.status === 'connected') {
      await this.recordConnected(request);
      await reply.redirect('/connection', 302);
      return;
    }
    await reply
      .status(STATUS_OF[outcome.failure.code])
      .header('content-security-policy', PAGE_POLICY)
      .type('text/html; charset=utf-8')
      .send(consentFailurePage(outcome.failure));
  }

  /** A valid code proves the consent; the session cookie or the user, if any, identifies the actor. */
  private async recordConnected(request: FastifyRequest): Promise<void> {
    const operator = this.access.identify(request.raw);
    const actor =
      operator === null
        ? { kind: 'browser' as const, id: null, name: null }
        : actorOf(operator, request.headers);
    await this.audit.recordSuccess(
      new AuditedAction({ actor, action: 'connection.connect', address: this.clientAddress.of(request) }),
    );
  }

  /** A full disk is reported as a page, too, because a browser is waiting for it. */
  private async complete(query: unknown, browserSecrets: readonly string[]): Promise<AuthorizationOutcome> {
    try {
      return await this.authorization.complete(query, browserSecrets);
    } catch (error) {
      if (!(error instanceof RelayError) || error.code !== 'storage_failed') throw error;
      return { status: 'failed', failure: consentFailure('storage_failed') };
    }
  }
}

/** Whether a page of another origin led here (Fetch Metadata, which older browsers do not send). */
const isCrossSite = ({ headers }: FastifyRequest): boolean =>
  !['same-origin', 'none', undefined].includes(headers['sec-fetch-site']);

const crossSiteError = () =>
  new RelayError('origin_rejected', 403, 'The request was started by a page of another site.', {
    remedy: 'Start the consent on the Connection page of the dashboard, or with `switchboard connect`.',
  });

/**
 * Starts the consent as the dashboard does, and redirects; without the secret half of the session, to the sign-in
 * page.
 */
const consentStartPage = scriptPage(
  'Redirecting to Co-Pilot for consent',
  `
const secret = localStorage.getItem(${literal(SESSION_SECRET_KEY)}) ?? 'none';
const fail = (text) => {
  const state = document.getElementById('state');
  const heading = document.createElement('h1');
  heading.textContent = 'Co-Pilot could not be opened';
  state.before(heading);
  state.textContent = text;
  const links = document.createElement('nav');
  for (const [name, path] of [['Try again', '/oauth/connect'], ['Back to the dashboard', '/connection']]) {
    const link = links.appendChild(document.createElement('a'));
    link.href = path;
    link.textContent = name;
  }
  state.after(links);
};
fetch('/oauth/connect', { method: 'POST', headers: { ${literal(SESSION_HEADER)}: secret } }).then(async (response) => {
  if (response.status === 401) return location.replace('/sign-in?next=%2Fconnection');
  const { url, detail, remedy } = await response.json();
  if (response.ok) location.replace(url);
  else fail([detail, remedy].join(' '));
}).catch(() => fail('Switchboard is not responding.'));
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
  code_rejected: 502,
  client_rejected: 502,
  copilot_unreachable: 502,
  tokens_missing: 502,
  exchange_interrupted: 502,
  storage_failed: 503,
};
