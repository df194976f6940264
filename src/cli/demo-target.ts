import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';

/** What reached the sample target, as one line. */
export type ArrivalListener = (line: string) => void;

/**
 * The software that a user would have: takes what the hub sends, answers 200, and tells what came. Rejects when the port
 * is taken.
 */
export async function startSampleTarget(
  port: number,
  onArrival: ArrivalListener,
): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      onArrival(describe(request, Buffer.concat(chunks)));
      response.end();
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
  const number = String(headers['switchboard-attempt']);
  const { id, name, title } = dataOf(body);
  const what = `${type.padEnd(20)} ${String(id ?? '').padEnd(8)} ${name ?? title ?? ''}`;
  return `${what} (${trigger}${number === '1' ? '' : `, attempt ${number}`})`;
}

/** What a receiver gets is what Co-Pilot signed, which need not be readable. */
function dataOf(body: Buffer): { id?: number; name?: string; title?: string } {
  try {
    return (JSON.parse(body.toString('utf8')) as { data?: object }).data ?? {};
  } catch {
    return {};
  }
}
