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
  const { data } = JSON.parse(body.toString('utf8')) as { data: { id?: number; name?: string; title?: string } }; name?: unknown; title?: unknown };
  };
  const attempt =
    headers['switchboard-attempt'] === '1' ? '' : `, attempt ${String(headers['switchboard-attempt'])}`;
  const name = data.name ?? data.title ?? '';
  return `${type.padEnd(20)} ${String(data.id ?? '').padEnd(8)} ${name} (${trigger}${attempt})`;
}
