import type { LookupFunction } from 'node:net';
import { TLSSocket } from 'node:tls';
import { Agent, buildConnector, request } from 'undici';
import { ANSWER_TIMEOUT_MS } from '../../../protocol/limits';

const READ_BYTES = 16 * 1024;

/** What came back, as far as it shows who answered; or the code of what stood in the way. */
export type ProbeAnswer =
  { status: number; contentType: string; location: string | null; body: string } | { failed: string };

/** `certificateEndsAt`: in ms since 1970; null where no certificate was shown and found good. */
interface SentProbe {
  answer: ProbeAnswer;
  certificateEndsAt: number | null;
}

/** Posts to `url` as Co-Pilot would: no redirects, the certificate checked, 5 s for all of it (document, 6.3). */
export async function sendProbe(
  url: string,
  headers: Record<string, string>,
  body: Buffer,
  lookup: LookupFunction,
  ended: AbortSignal,
): Promise<SentProbe> {
  let certificateEndsAt: number | null = null;
  const connect = buildConnector({ timeout: ANSWER_TIMEOUT_MS, lookup });
  const agent = new Agent({
    connect: (options, done) =>
      connect(options, (...connected) => {
        const [, socket] = connected;
        if (socket instanceof TLSSocket) certificateEndsAt = endOfCertificate(socket);
        done(...connected);
      }),
  });
  const late = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  try {
    const answer = await request(url, {
      dispatcher: agent,
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.any([late, ended]),
    });
    const { location, 'content-type': contentType } = answer.headers;
    const read = {
      status: answer.statusCode,
      contentType: String(contentType ?? ''),
      location: location === undefined ? null : String(location),
      body: await readBeginning(answer.body),
    };
    return { answer: read, certificateEndsAt };
  } catch (error) {
    return { answer: { failed: late.aborted ? 'ETIMEDOUT' : codeOf(error) }, certificateEndsAt };
  } finally {
    await agent.destroy();
  }
}

function endOfCertificate(socket: TLSSocket): number | null {
  const at = Date.parse(socket.getPeerCertificate().valid_to);
  return Number.isNaN(at) ? null : at;
}

async function readBeginning(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let read = 0;
  for await (const part of body) {
    parts.push(part);
    read += part.length;
    if (read > READ_BYTES) break;
  }
  return Buffer.concat(parts).subarray(0, READ_BYTES).toString();
}

function codeOf(error: unknown): string {
  const { code = '', errors = [] } = error as { code?: string; errors?: unknown[] };
  // Several addresses were tried (happy eyeballs): the first failure speaks for all.
  return code === '' && errors.length > 0 ? codeOf(errors[0]) : code;
}
