import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Injectable } from '@nestjs/common';
import { create, isAxiosError, type AxiosInstance } from 'axios';
import { maskSecrets } from '../secrets/mask-secrets';
import { HostAddresses } from '../network/host-addresses';
import { Settings } from '../settings/settings';

/** Below the ten seconds that container engines give a process to stop, since a stop waits for a request under way. */
const TIMEOUT_MS = 8_000;
const ANSWER_LIMIT_BYTES = 1_048_576;

export interface UpstreamRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the base address. */
  path: string;
  headers: Record<string, string>;
  body: { contentType: string; text: string } | null;
  /** What of it nobody may see, should Co-Pilot repeat it in a refusal. */
  secrets: readonly string[];
}

/** What Co-Pilot answered. Nothing of `body` is trusted: it is undefined where there was none or it is no JSON. */
export interface Answered {
  kind: 'answered';
  status: number;
  body: unknown;
  empty: boolean;
  /** By name in lower case; nothing of them is trusted either. */
  headers: Readonly<Record<string, unknown>>;
}

/** No answer came, so it is open whether the request was carried out. `reason` is a code such as ECONNREFUSED. */
export interface Unreachable {
  kind: 'unreachable';
  reason: string;
}

/** Requests to Co-Pilot as such, without authentication. A failing one is a value and never carries what was sent. */
@Injectable()
export class UpstreamHttp {
  private readonly http: AxiosInstance;

  constructor(
    private readonly settings: Settings,
    { lookup }: HostAddresses,
  ) {
    this.http = create({
      // A kept socket that the other side has just closed would fail a request and leave its outcome open.
      httpAgent: new HttpAgent({ keepAlive: false, lookup }),
      httpsAgent: new HttpsAgent({ keepAlive: false, lookup }),
      maxRedirects: 0,
      proxy: false,
      timeout: TIMEOUT_MS,
      maxContentLength: ANSWER_LIMIT_BYTES,
      responseType: 'text',
      transformResponse: (text: unknown) => text,
      validateStatus: () => true,
    });
  }

  async send({ method, path, headers, body, secrets }: UpstreamRequest): Promise<Answered | Unreachable> {
    try {
      const answer = await this.http.request<unknown>({
        method,
        url: `${this.settings.copilot.baseUrl}${path}`,
        headers: {
          accept: 'application/json',
          ...headers,
          ...(body === null ? {} : { 'content-type': body.contentType }),
        },
        // As bytes: a string with a JSON type would be serialised anew.
        ...(body === null ? {} : { data: Buffer.from(body.text) }),
        // axios' own timeout does not cover the time until the connection stands.
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = typeof answer.data === 'string' ? answer.data : '';
      return {
        kind: 'answered',
        status: answer.status,
        body: parseJson(text, answer.status >= 400 ? secrets : []),
        empty: text.trim() === '',
        headers: Object.fromEntries(Object.entries(answer.headers)),
      };
    } catch (error) {
      // The error itself holds the request with its secrets, so nothing but its code leaves this place.
      return { kind: 'unreachable', reason: (isAxiosError(error) ? error.code : null) ?? 'no answer' };
    }
  }
}

/** @param secrets are masked in all its texts */
function parseJson(text: string, secrets: readonly string[]): unknown {
  try {
    const masked = (value: unknown) => (typeof value === 'string' ? maskSecrets(value, secrets) : value);
    return secrets.length === 0 ? JSON.parse(text) : JSON.parse(text, (_, value) => masked(value));
  } catch {
    return undefined;
  }
}
