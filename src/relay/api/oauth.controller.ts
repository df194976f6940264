import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessService } from '../access/access.service';
import { Open } from '../access/open.decorator';
import { actorOf } from '../audit/actor-of';
import { AuditLog } from '../audit/audit-log';
import { ConnectionService } from '../connection/connection.service';
import { consentFailure, type ConsentFailureCode } from '../connection/consent-failure';
import type { ConsentOutcome } from '../connection/consents';
import { Act } from '../current-act';
import { RelayError } from '../relay-error';
import { ClientAddress } from '../settings/client-address';
import { consentFailurePage, PAGE_POLICY } from './consent-failure-page';

/** The two addresses of a consent: where the operator begins it, and where Co-Pilot sends the browser back (document, 5.2). */
@Controller('oauth')
export class OauthController {
  constructor(
    private readonly connection: ConnectionService,
    private readonly access: AccessService,
    private readonly audit: AuditLog,
    private readonly client: ClientAddress,
  ) {}

  @Get('connect')
  async beginConsent(@Res() reply: FastifyReply): Promise<void> {
    const address = await this.connection.begin();
    await reply.header('cache-control', 'no-store').redirect(address, 302);
  }

  @Open()
  @Get('callback')
  async completeConsent(
    @Query() query: Record<string, unknown>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const outcome = await this.complete(query);
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

  /** Whoever comes back with a good code has consented; a login makes known who it is. */
  private async record(request: FastifyRequest): Promise<void> {
    const operator = await this.access.admit(request, 'read');
    const actor =
      operator instanceof RelayError
        ? { kind: 'browser' as const, id: null, name: null }
        : actorOf(operator, request.headers);
    await this.audit.completed(
      new Act({ actor, action: 'connection.connect', address: this.client.of(request) }),
    );
  }

  /** A browser is shown here, so a full disk is a page too. */
  private async complete(query: unknown): Promise<ConsentOutcome> {
    try {
      return await this.connection.complete(query);
    } catch (error) {
      if (!(error instanceof RelayError) || error.code !== 'storage_failed') throw error;
      return { status: 'failed', failure: consentFailure('storage_failed') };
    }
  }
}

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
