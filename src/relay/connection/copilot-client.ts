import { Injectable } from '@nestjs/common';
import { Renewal } from './renewal';
import { UpstreamHttp, type Answered, type UpstreamRequest, type Unreachable } from './upstream-http';

/** `no_token`: nothing was sent, as there is no access token to send it with. */
export type ApiAnswer = Answered | Unreachable | { kind: 'no_token'; why: string };

/** Co-Pilot's API with our access token (document, 5.3). */
@Injectable()
export class CopilotClient {
  constructor(
    private readonly http: UpstreamHttp,
    private readonly renewal: Renewal,
  ) {}

  /** A 401 renews the token once and repeats the call once; a second 401 is the answer. @throws RelayError `storage_failed` */
  async call(method: UpstreamRequest['method'], path: string, body?: object): Promise<ApiAnswer> {
    const access = await this.renewal.accessToken();
    if (access.kind === 'no_token') return access;
    const answer = await this.send(method, path, access.token, body);
    if (answer.kind !== 'answered' || answer.status !== 401) return answer;
    const another = await this.renewal.replace(access.token);
    return another.kind === 'no_token' ? answer : this.send(method, path, another.token, body);
  }

  private send(method: UpstreamRequest['method'], path: string, token: string, body?: object) {
    return this.http.send({
      method,
      path,
      headers: { authorization: `Bearer ${token}` },
      body: body === undefined ? null : { contentType: 'application/json', text: JSON.stringify(body) },
      secrets: [token],
    });
  }
}
