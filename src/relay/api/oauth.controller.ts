import { Controller, Get, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Open } from '../access/open.decorator';
import { ConnectionService } from '../connection/connection.service';
import type { ConsentFailure, ConsentFailureCode } from '../connection/consent-failure';

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
    const outcome = await this.connection.complete(query);
    // The address of this page holds the code: it must not travel on.
    void reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
    if (outcome.status === 'connected') {
      await reply.redirect('/connection', 302);
      return;
    }
    await reply
      .status(STATUS_OF[outcome.failure.code])
      .header(
        'content-security-policy',
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      )
      .type('text/html; charset=utf-8')
      .send(failurePage(outcome.failure));
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
};

function failurePage({ code, title, sentence, remedy }: ConsentFailure): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Switchboard</title>
<style>
body { font: 1rem/1.6 system-ui, sans-serif; max-width: 34rem; margin: 12vh auto; padding: 0 1.25rem }
h1 { font-size: 1.4rem; line-height: 1.3 }
code { font-size: .85rem }
</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(sentence)}</p>
<p><strong>What to do:</strong> ${escapeHtml(remedy)}</p>
<p><a href="/oauth/connect">Start again</a> · <a href="/connection">Look at the connection</a></p>
<p><code>${escapeHtml(code)}</code></p>
</main>
</body>
</html>
`;
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
