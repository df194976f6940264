import { Controller, Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Open } from '../access/open.decorator';
import { ConnectionService } from '../connection/connection.service';
import { consentFailure, type ConsentFailureCode } from '../connection/consent-failure';
import type { ConsentOutcome } from '../connection/consents';
import { RelayError } from '../relay-error';
import { consentFailurePage, PAGE_POLICY } from './consent-failure-page';

/** The two addresses of a consent: where the operator begins it, and where Co-Pilot sends the browser back (document, 5.2). */
@Controller('oauth')
export class OauthController {
  constructor(private readonly connection: ConnectionService) {}

  @Get('connect')
  async connect(@Res() reply: FastifyReply): Promise<void> {
    const address = await this.connection.begin();
    await reply.header('cache-control', 'no-store').redirect(address, 302);
  }

  @Open()
  @Get('callback')
  async callback(@Query() query: Record<string, unknown>, @Res() reply: FastifyReply): Promise<void> {
    const outcome = await this.complete(query);
    // The address of this page holds the code: it must not travel on.
    void reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
    if (outcome.status === 'connected') {
      await reply.redirect('/connection', 302);
      return;
    }
    await reply
      .status(STATUS_OF[outcome.failure.code])
      .header('content-security-policy', PAGE_POLICY)
      .type('text/html; charset=utf-8')
      .send(consentFailurePage(outcome.failure));
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
