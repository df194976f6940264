import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Injectable } from '@nestjs/common';
import { create, isAxiosError, type AxiosInstance } from 'axios';
import { Leadership } from '../ground/leadership';
import { MachineFaults } from '../ground/machine-faults';
import { maskSecrets } from '../secrets/mask-secrets';
import { HostAddresses } from '../network/host-addresses';
import { OutgoingProxy } from '../network/outgoing-proxy';
import { throughProxy } from '../network/through-proxy';
import { Settings } from '../settings/settings';

/**
 * Shutdown waits for a running request, so this is less than the ten seconds that container engines give a process to
 * stop.
 */
const TIMEOUT_MS = 8_000;
const MAX_RESPONSE_BYTES = 1_048_576;

/** The reason if a response was larger than accepted. */
export const TOO_LARGE = 'response_too_large';

export interface UpstreamRequest {
  method: 'HEAD' | 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Relative to the base URL. */
  path: string;
  headers: Record<string, string>;
  body: { contentType: string; text: string } | null;
  /** Values to mask in case Co-Pilot repeats them in an error response. */
  secrets: readonly string[];
  /** A successful response may have up to this size, and its `body` is its bytes. */
  maxBytes?: number | undefined;
}

/** A response of Co-Pilot. `body` is unvalidated; undefined if there was none or it is neither JSON nor a form. */
export interface UpstreamResponse {
  kind: 'response';
  status: number;
  body: unknown;
  /** Whether there was no body: `body` is undefined for one that is not JSON, too. */
  empty: boolean;
  /** By lower-case name; unvalidated too. */
  headers: Readonly<Record<string, unknown>>;
}

/**
 * No response arrived, so it is unknown whether the request was processed. `reason` is a code such as ECONNREFUSED.
 */
export interface Unreachable {
  kind: 'unreachable';
  reason: string;
}

/** Plain HTTP requests to Co-Pilot. A failure is returned as a value and never contains what was sent. */
@Injectable()
export class UpstreamHttp {
  private readonly http: AxiosInstance;

  constructor(
    private readonly settings: Settings,
    private readonly leadership: Leadership,
    { lookup }: HostAddresses,
    private readonly faults: MachineFaults,
  ) {
    const proxy = new OutgoingProxy(settings).for(new URL(settings.copilot.baseUrl));
    const tunnelled = <Agent extends HttpAgent>(agent: Agent) =>
      proxy === null ? agent : throughProxy(agent, proxy, { lookup, timeoutMs: TIMEOUT_MS });
    this.http = create({
      // A reused socket that the server has just closed would fail the request with an unknown outcome.
      httpAgent: tunnelled(new HttpAgent({ keepAlive: false, lookup })),
      httpsAgent: tunnelled(new HttpsAgent({ keepAlive: false, lookup })),
      maxRedirects: 0,
      // Axios would read the environment.
      proxy: false,
      timeout: TIMEOUT_MS,
      responseType: 'arraybuffer',
      validateStatus: () => true,
    });
  }

  async send(request: UpstreamRequest): Promise<UpstreamResponse | Unreachable> {
    const { method, path, headers, body, secrets, maxBytes } = request;
    // Another daemon may renew the same token by now, and look after the same webhook.
    if (!this.leadership.holdsLease()) return { kind: 'unreachable', reason: 'not_leader' };
    try {
      const response = await this.http.request<Buffer>({
        method,
        maxContentLength: maxBytes ?? MAX_RESPONSE_BYTES,
        url: `${this.settings.copilot.baseUrl}${path}`,
        headers: {
          accept: 'application/json',
          ...headers,
          ...(body === null ? {} : { 'content-type': body.contentType }),
        },
        // As bytes: axios would serialize a string with a JSON type again.
        ...(body === null ? {} : { data: Buffer.from(body.text) }),
        // The timeout of axios does not cover connecting.
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const { status, data } = response;
      const isFile = maxBytes !== undefined && status >= 200 && status < 300;
      const text = isFile ? '' : data.toString('utf8');
      return {
        kind: 'response',
        status,
        body: isFile ? data : parseBody(text, status >= 400 ? secrets : []),
        empty: isFile ? data.length === 0 : text.trim() === '',
        headers: Object.fromEntries(Object.entries(response.headers)),
      };
    } catch (error) {
      // The error contains the request with its secrets, so only its code is returned.
      if (isAxiosError(error) && error.message.startsWith('maxContentLength'))
        return { kind: 'unreachable', reason: TOO_LARGE };
      const code = (isAxiosError(error) ? error.code : null) ?? null;
      this.faults.report(code);
      return { kind: 'unreachable', reason: code ?? 'no response' };
    }
  }
}

const FORM = /^[\w.%+-]+=[^\s<>&]*(&[\w.%+-]+=[^\s<>&]*)*$/;

/** Whatever its content type says. @param secrets masked in all strings */
function parseBody(text: string, secrets: readonly string[]): unknown {
  const masked = (_: string, value: unknown) =>
    typeof value === 'string' ? maskSecrets(value, secrets) : value;
  try {
    return secrets.length === 0 ? JSON.parse(text) : JSON.parse(text, masked);
  } catch {
    if (!FORM.test(text.trim())) return undefined;
    const fields = [...new URLSearchParams(text.trim())].map(([name, value]) => [name, masked(name, value)]);
    return Object.fromEntries(fields) as unknown;
  }
}
