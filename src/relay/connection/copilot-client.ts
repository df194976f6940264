import { Injectable } from '@nestjs/common';
import { RenewalWorker } from './renewal.worker';
import { UpstreamHttp, type UpstreamResponse, type UpstreamRequest, type Unreachable } from './upstream-http';

/** `no_token`: nothing was sent, because there is no valid access token. */
export type ApiResponse = UpstreamResponse | Unreachable | { kind: 'no_token'; why: string };

/** Co-Pilot's API with our access token (document, 5.3). */
@Injectable()
export class CopilotClient {
  constructor(
    private readonly http: UpstreamHttp,
    private readonly renewal: RenewalWorker,
  ) {}

  /**
   * A 401 renews the token and repeats the call once; a second 401 is returned.
   * @param maxBytes see {@link UpstreamRequest}
   * @throws RelayError `storage_failed`
   */
  async call(
    method: UpstreamRequest['method'],
    path: string,
    body?: object,
    maxBytes?: number,
  ): Promise<ApiResponse> {
    const access = await this.renewal.accessToken();
    if (access.kind === 'no_token') return access;
    const send = (token: string) => this.send({ method, path, maxBytes }, token, body);
    const response = await send(access.token);
    if (response.kind !== 'response' || response.status !== 401) return response;
    const renewed = await this.renewal.replace(access.token);
    return renewed.kind === 'no_token' ? response : send(renewed.token);
  }

  private send(
    request: Pick<UpstreamRequest, 'method' | 'path' | 'maxBytes'>,
    token: string,
    body: object | undefined,
  ) {
    return this.http.send({
      ...request,
      headers: { authorization: `Bearer ${token}` },
      body: body === undefined ? null : { contentType: 'application/json', text: JSON.stringify(body) },
      secrets: [token],
    });
  }
}
