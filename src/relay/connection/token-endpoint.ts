import { Injectable } from '@nestjs/common';
import { ENDPOINTS } from '../../protocol/endpoints';
import { Clock } from '../ground/clock';
import { Settings } from '../settings/settings';
import { readTokenResponse, type TokenOutcome } from './read-token-response';
import { UpstreamHttp } from './upstream-http';

/** Co-Pilot's token endpoint: a code or a refresh token in, tokens out (document, 4.2). */
@Injectable()
export class TokenEndpoint {
  constructor(
    private readonly http: UpstreamHttp,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  exchange(code: string, redirectUri: string): Promise<TokenOutcome> {
    return this.request({ grant_type: 'authorization_code', code, redirect_uri: redirectUri });
  }

  refresh(refreshToken: string): Promise<TokenOutcome> {
    return this.request({ grant_type: 'refresh_token', refresh_token: refreshToken });
  }

  private async request(fields: Record<string, string>): Promise<TokenOutcome> {
    const { clientId, clientSecret } = this.settings.copilot;
    const form = new URLSearchParams({ ...fields, client_id: clientId, client_secret: clientSecret });
    const secrets = [clientSecret, fields['code'] ?? '', fields['refresh_token'] ?? ''];
    const response = await this.http.send({
      method: 'POST',
      path: ENDPOINTS.token,
      headers: {},
      body: { contentType: 'application/x-www-form-urlencoded', text: form.toString() },
      secrets,
    });
    return readTokenResponse(response, secrets, this.clock.now());
  }
}
