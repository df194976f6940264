import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { verify, WebhookRejected } from '../client/webhook';

interface SampleTarget {
  /** Without it, nothing is verified. */
  secret: string | undefined;
  /** Called for each request, with a one-line description. */
  onReceived: (line: string) => void;
  /** Responds to an event. */
  respond: (response: ServerResponse) => void;
}

/**
 * Starts a receiver that verifies and reports each request. Rejects if the port is in use.
 * @returns a function that stops it
 */
export async function startSampleTarget(
  port: number,
  { secret, onReceived, respond }: SampleTarget,
): Promise<() => Promise<void>> {
  const receive = async (request: IncomingMessage, response: ServerResponse, body: Buffer) => {
    const rejection = secret === undefined ? null : await rejectionOf(request, body, secret);
    onReceived(describe(request, body) + (rejection === null ? '' : `, rejected: ${rejection}`));
    if (rejection === null) respond(response);
    else response.writeHead(401).end();
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => void receive(request, response, Buffer.concat(chunks)));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
}

async function rejectionOf(
  { headers }: IncomingMessage,
  body: Buffer,
  secret: string,
): Promise<WebhookRejected['code'] | null> {
  try {
    await verify(headers, body, secret);
    return null;
  } catch (error) {
    if (error instanceof WebhookRejected) return error.code;
    throw error;
  }
}

function describe({ headers }: IncomingMessage, body: Buffer): string {
  const type = String(headers['switchboard-event-type']);
  const trigger = String(headers['switchboard-trigger']);
  const attempt = String(headers['switchboard-attempt']);
  const { id, name, title } = dataOf(body);
  const what = `${type.padEnd(20)} ${String(id ?? '').padEnd(8)} ${name ?? title ?? ''}`;
  return `${what} (${trigger}${attempt === '1' ? '' : `, attempt ${attempt}`})`;
}

/** The body is passed on exactly as Co-Pilot signed it, so it may not be valid JSON. */
function dataOf(body: Buffer): { id?: number; name?: string; title?: string } {
  try {
    return (JSON.parse(body.toString('utf8')) as { data?: object }).data ?? {};
  } catch {
    return {};
  }
}
