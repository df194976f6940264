import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';

/** Called for each received event, with a one-line description. */
export type ReceivedListener = (line: string) => void;

/**
 * Starts a receiver that reports each request. Rejects if the port is in use.
 * @returns a function that stops it
 */
export async function startSampleTarget(
  port: number,
  onReceived: ReceivedListener,
  respond: (response: ServerResponse) => void,
): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      onReceived(describe(request, Buffer.concat(chunks)));
      respond(response);
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
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
