import { TLSSocket } from 'node:tls';
import type { LookupFunction } from 'node:net';
import { Agent, buildConnector, request } from 'undici';
import { RESPONSE_TIMEOUT_MS } from '../../../protocol/limits';
import type { ProxyServer } from '../../network/outgoing-proxy';
import { proxyConnector } from '../../network/proxy-connector';

const MAX_BODY_BYTES = 16 * 1024;

/** The parts of the response that show which server responded, or the error code if none did. */
export type CheckResponse =
  | { status: number; contentType: string; location: string | null; body: string }
  | { failed: string };

/**
 * Posts to `url` as Co-Pilot would: no redirects, certificate checked, 5 s in total (document, 6.3).
 * @returns `certificateEndsAt` in ms since 1970; null without a valid certificate
 */
export async function sendCheckRequest(
  url: string,
  headers: Record<string, string>,
  body: Buffer,
  by: { proxy: ProxyServer | null; lookup: LookupFunction },
  stopped: AbortSignal,
): Promise<{ response: CheckResponse; certificateEndsAt: number | null }> {
  let certificateEndsAt: number | null = null;
  const connect = connectorBy(by);
  const agent = new Agent({
    connect: (options, done) =>
      connect(options, (...connected) => {
        const [, socket] = connected;
        if (socket instanceof TLSSocket) certificateEndsAt = certificateEnd(socket);
        done(...connected);
      }),
  });
  const timeout = AbortSignal.timeout(RESPONSE_TIMEOUT_MS);
  try {
    const response = await request(url, {
      dispatcher: agent,
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.any([timeout, stopped]),
    });
    const { location, 'content-type': contentType } = response.headers;
    const summary = {
      status: response.statusCode,
      contentType: String(contentType ?? ''),
      location: location === undefined ? null : String(location),
      body: await readBeginning(response.body),
    };
    return { response: summary, certificateEndsAt };
  } catch (error) {
    return { response: { failed: timeout.aborted ? 'ETIMEDOUT' : codeOf(error) }, certificateEndsAt };
  } finally {
    await agent.destroy();
  }
}

function connectorBy({ proxy, lookup }: { proxy: ProxyServer | null; lookup: LookupFunction }) {
  const connect = { timeout: RESPONSE_TIMEOUT_MS };
  const direct = buildConnector({ ...connect, lookup });
  return proxy === null ? direct : proxyConnector({ proxy, resolve: null, lookup, direct, connect });
}

function certificateEnd(socket: TLSSocket): number | null {
  const at = Date.parse(socket.getPeerCertificate().valid_to);
  return Number.isNaN(at) ? null : at;
}

async function readBeginning(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let read = 0;
  for await (const part of body) {
    parts.push(part);
    read += part.length;
    if (read > MAX_BODY_BYTES) break;
  }
  return Buffer.concat(parts).subarray(0, MAX_BODY_BYTES).toString();
}

function codeOf(error: unknown): string {
  const { code = '', errors = [] } = error as { code?: string; errors?: unknown[] };
  // Several addresses were tried (happy eyeballs): report the first failure.
  return code === '' && errors.length > 0 ? codeOf(errors[0]) : code;
}
